/** A client of our SMPP listener, built on the package `smpp`. It answers receipts, and records them. */
import assert from 'node:assert/strict'
import { type EventEmitter, once } from 'node:events'
import { connect, type Received, type Session } from 'smpp'
import { smppPackage } from '../../src/providers/smpp/pdu.ts'
import type { Gateway } from './gateway.ts'
import { until } from './until.ts'

// Without decoding of texts, so that octets stay octets.
const { PDU } = smppPackage()

export type SmppFields = Readonly<Record<string, unknown>>
/** `text` is the short message of a receipt. */
export type SmppReceipt = Readonly<{ text: string; fields: SmppFields }>

export type SmppLogin = Readonly<{ system_id: string; password: string }>
export type SmppClientOptions = SmppLogin &
  Readonly<{
    port: number
    bind?: 'bind_transmitter' | 'bind_receiver' | 'bind_transceiver'
    tls?: Readonly<{ ca: string }>
    /** The status with which it answers a receipt; undefined for no answer. */
    answer?: (nth: number) => number | undefined
  }>

export class SmppClient implements AsyncDisposable {
  readonly #session: Session
  readonly #options: SmppClientOptions
  readonly receipts: SmppReceipt[] = []
  readonly enquiries: Received[] = []
  unbound = false
  closed = false

  constructor(options: SmppClientOptions) {
    this.#options = options
    const { port, tls } = options
    this.#session = connect({ host: '127.0.0.1', port, ...(tls ? { tls: true, ...tls } : {}) })
    this.#session.on('error', () => undefined)
    // Each request that waits listens.
    ;(this.#session as unknown as EventEmitter).setMaxListeners(0)
    this.#session.on('close', () => {
      this.closed = true
    })
    this.#session.on('deliver_sm', (pdu) => this.#receive(pdu))
    this.#session.on('enquire_link', (pdu) => {
      this.enquiries.push(pdu)
      this.#session.send(pdu.response())
    })
    this.#session.on('unbind', (pdu) => {
      this.unbound = true
      this.#session.send(pdu.response())
    })
  }

  get port(): number {
    return this.#options.port
  }

  /** The status of the answer to the bind. */
  async bind(): Promise<number> {
    await once(this.#session as unknown as EventEmitter, this.#options.tls ? 'secureConnect' : 'connect')
    const { system_id, password, bind = 'bind_transceiver' } = this.#options
    return (await this.request(bind, { system_id, password, interface_version: 0x34 })).command_status
  }

  request(command: string, fields: SmppFields = {}): Promise<Received & SmppFields> {
    return this.sendPdu(new PDU(command, fields))
  }

  /** Resolves to its answer. */
  sendPdu(pdu: Parameters<Session['send']>[0]): Promise<Received & SmppFields> {
    return new Promise((resolve, reject) => {
      this.#session.on('close', () => reject(new Error('the session ended before it answered')))
      this.#session.send(pdu, (answer) => resolve(answer as Received & SmppFields))
    })
  }

  /** Sends an SMS to an international number, and returns the id. */
  async submit(to: string, text: string, fields: SmppFields = {}): Promise<string> {
    const answer = await this.request('submit_sm', { ...toSubmit(to, text), ...fields })
    assert.equal(answer.command_status, 0, `submit_sm was answered with ${answer.command_status}`)
    return String(answer['message_id'])
  }

  receiptOf(id: string): Promise<SmppReceipt> {
    return until(`a receipt of ${id}`, () => this.receipts.find(({ text }) => text.startsWith(`id:${id} `)))
  }

  #receive(pdu: Received): void {
    const fields = pdu as unknown as SmppFields
    this.receipts.push({ text: String(fields['short_message']), fields })
    const { answer = () => 0 } = this.#options
    const status = answer(this.receipts.length)
    if (status !== undefined) this.#session.send(pdu.response({ command_status: status }))
  }

  destroy(): void {
    this.#session.destroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.destroy()
  }
}

/** International numbers, in Latin-1. */
export const toSubmit = (to: string, text: string): SmppFields => ({
  dest_addr_ton: 1,
  dest_addr_npi: 1,
  destination_addr: to.replace('+', ''),
  data_coding: 3,
  short_message: Buffer.from(text, 'latin1'),
})

export async function bindClient(options: SmppClientOptions): Promise<SmppClient> {
  const client = new SmppClient(options)
  assert.equal(await client.bind(), 0)
  return client
}

/** The port that a gateway listens on, from its newest log line about it. */
export async function smppPortOf({ err }: Pick<Gateway, 'err'>, field = 'port'): Promise<number> {
  return until('the SMPP listener', () => {
    const line = err()
      .split('\n')
      .findLast((one) => one.includes('smpp: listening'))
    return line === undefined ? undefined : Number(JSON.parse(line)[field])
  })
}

/** An API key as an SMPP client presents it. */
export async function createLogin(
  { call }: Pick<Gateway, 'call'>,
  fields: object = {},
): Promise<SmppLogin & { id: string }> {
  const wanted = { name: 'Kannel', scopes: ['sms:send', 'messages:read'], ...fields }
  const { status, body, text } = await call<{ id: string; key: string }>('POST', '/v1/api-keys', wanted)
  assert.equal(status, 201, text)
  return { id: body.id, system_id: body.id, password: body.key.slice(-40) }
}
