/** An SMTP client that says what it is told, line by line, to try what well-behaved clients never do. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

const WITHIN_MS = 15_000

export class SmtpDialog implements Disposable {
  #socket: Socket
  #received = ''

  constructor(socket: Socket) {
    this.#socket = socket
    this.#listen()
  }

  #listen(): void {
    this.#socket.on('data', (chunk: Buffer) => {
      this.#received += chunk.toString('utf8')
    })
    this.#socket.on('error', () => undefined)
  }

  /** The next whole reply, which may have several lines; what arrived until then if the server hangs up. */
  async reply(): Promise<string> {
    const deadline = AbortSignal.timeout(WITHIN_MS)
    for (;;) {
      const [whole] = /^(?:\d{3}-[^\n]*\n)*\d{3}(?: [^\n]*)?\r\n/.exec(this.#received) ?? []
      if (whole !== undefined) {
        this.#received = this.#received.slice(whole.length)
        return whole.trimEnd()
      }
      if (this.#socket.readableEnded || this.#socket.destroyed) return this.#received
      const waiting = new AbortController()
      const signal = AbortSignal.any([deadline, waiting.signal])
      const next = ['data', 'end', 'close'].map((event) => once(this.#socket, event, { signal }))
      await Promise.race(next)
      waiting.abort()
      await Promise.allSettled(next)
    }
  }

  /** Sends the bytes as they are, and waits for the reply. */
  async send(bytes: string | Uint8Array): Promise<string> {
    this.#socket.write(bytes)
    return this.reply()
  }

  write(bytes: string | Uint8Array): void {
    this.#socket.write(bytes)
  }

  say(line: string): Promise<string> {
    return this.send(`${line}\r\n`)
  }

  async startTls(ca: string): Promise<void> {
    await this.say('STARTTLS')
    this.#socket.removeAllListeners('data')
    const socket = connectTls({ socket: this.#socket, ca, host: '127.0.0.1' })
    await once(socket, 'secureConnect')
    this.#socket = socket
    this.#listen()
  }

  signIn(key: string): Promise<string> {
    return this.say(`AUTH PLAIN ${Buffer.from(`\0apikey\0${key}`).toString('base64')}`)
  }

  /** Whether the server has closed the connection. */
  get isOver(): boolean {
    return this.#socket.readableEnded || this.#socket.destroyed
  }

  hangUp(): void {
    this.#socket.destroy()
  }

  [Symbol.dispose](): void {
    this.hangUp()
  }
}

/** A connection that has been greeted, and has said EHLO. */
export async function openSmtpDialog(port: number): Promise<SmtpDialog> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const dialog = new SmtpDialog(socket)
  await dialog.reply()
  await dialog.say('EHLO client.example')
  return dialog
}
