/**
 * The load of (l): SMPP clients in a process of their own, cheap enough to leave the CPU to the server. Each session keeps
 * its window full of submit_sm, answers receipts, and counts both.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { BAD_LENGTH, FrameReader } from '../src/lib/frame-reader.ts'
import { COMMANDS, cString, RESPONSE, toBody, toPdu } from '../src/listeners/smpp/pdu.ts'

export type SmppLoad = Readonly<{
  port: number
  systemId: string
  password: string
  sessions: number
  window: number
  warmUpSeconds: number
  seconds: number
}>

export type SmppLoadReport = Readonly<{
  acceptedPerSecond: number
  refused: number
  receiptsPerSecond: number
  seconds: number
}>

const TEXT = 'Your parcel is on its way and will be with you before noon.'
const FIRST_NUMBER = 5_511_000_000_000
const INTERFACE_VERSION = 0x34
/** How long messages that were accepted last may take to be delivered. */
const REST_MS = 2_000

class Client {
  readonly #socket: Socket
  readonly #load: SmppLoad
  readonly #frames = new FrameReader({ min: 16, max: 65_536 })
  readonly #counts: { accepted: number; refused: number; receipts: number }
  readonly #body: (to: number) => Buffer
  #sequence = 0
  #isOver = false
  #bound = Promise.withResolvers<void>()

  constructor(load: SmppLoad, counts: { accepted: number; refused: number; receipts: number }) {
    this.#load = load
    this.#counts = counts
    const text = Buffer.from(TEXT, 'latin1')
    this.#body = (to) =>
      toBody('', 5, 0, 'Acme', 1, 1, String(FIRST_NUMBER + to), 0, 0, 0, '', '', 1, 0, 3, 0, text.length, text)
    this.#socket = connect(load.port, '127.0.0.1')
    this.#socket.setNoDelay(true)
    this.#socket.on('data', (chunk: Buffer) => {
      this.#socket.cork()
      this.#read(chunk)
      this.#socket.uncork()
    })
  }

  async bind(): Promise<void> {
    await once(this.#socket, 'connect')
    const { systemId, password } = this.#load
    this.#write(COMMANDS.bind_transceiver, toBody(systemId, password, '', INTERFACE_VERSION, 0, 0, ''))
    await this.#bound.promise
  }

  begin(): void {
    for (let open = 0; open < this.#load.window; open += 1) this.#submit()
  }

  /** Submits no more. */
  end(): void {
    this.#isOver = true
  }

  close(): void {
    this.#socket.destroy()
  }

  #submit(): void {
    if (!this.#isOver) this.#write(COMMANDS.submit_sm, this.#body(nextNumber()))
  }

  #write(command: number, body: Buffer): void {
    this.#sequence += 1
    this.#socket.write(toPdu(command, this.#sequence, 0, body))
  }

  #read(chunk: Buffer): void {
    this.#frames.push(chunk)
    for (let frame = this.#frames.next(); frame !== undefined; frame = this.#frames.next()) {
      if (frame === BAD_LENGTH) throw new Error('the server wrote a length that is none')
      this.#receive(frame)
    }
  }

  #receive(frame: Buffer): void {
    const [command, status, sequence] = [4, 8, 12].map((at) => frame.readUInt32BE(at))
    if (command === COMMANDS.deliver_sm) {
      this.#counts.receipts += 1
      this.#socket.write(toPdu(command + RESPONSE, sequence ?? 0, 0, cString('')))
    } else if (command === COMMANDS.submit_sm + RESPONSE) {
      if (status === 0) this.#counts.accepted += 1
      else this.#counts.refused += 1
      this.#submit()
    } else if (status === 0) this.#bound.resolve()
    else this.#bound.reject(new Error(`the bind was answered with ${status}`))
  }
}

let lastNumber = 0
function nextNumber(): number {
  lastNumber += 1
  return lastNumber
}

async function run(load: SmppLoad): Promise<SmppLoadReport> {
  const counts = { accepted: 0, refused: 0, receipts: 0 }
  const clients = Array.from({ length: load.sessions }, () => new Client(load, counts))
  await Promise.all(clients.map((client) => client.bind()))
  for (const client of clients) client.begin()
  await wait(load.warmUpSeconds * 1000)
  const [before, begunAt] = [{ ...counts }, performance.now()]
  await wait(load.seconds * 1000)
  const [after, seconds] = [{ ...counts }, (performance.now() - begunAt) / 1000]
  for (const client of clients) client.end()
  await wait(REST_MS)
  for (const client of clients) client.close()
  return {
    acceptedPerSecond: (after.accepted - before.accepted) / seconds,
    refused: counts.refused,
    receiptsPerSecond: (after.receipts - before.receipts) / seconds,
    seconds,
  }
}

function serve(): void {
  process.on('disconnect', () => process.exit())
  process.on('message', (load: SmppLoad) => {
    run(load).then(
      (report) => void process.send?.(report),
      (error: Error) => {
        process.stderr.write(`the SMPP clients: ${error.message}\n`)
        process.exit(1)
      },
    )
  })
}

if (import.meta.main) serve()
