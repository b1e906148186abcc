/**
 * A mail server that accepts and discards everything: the minimum of ESMTP that a client needs, so that it uses little
 * CPU. It prints its port.
 */
import { type AddressInfo, createServer, type Socket } from 'node:net'

const LINE_END = '\r\n'
const MAIL_END = '\r\n.\r\n'
const SIZE = 16 * 1024 * 1024
const HELLO = `250-sink${LINE_END}250-PIPELINING${LINE_END}250-8BITMIME${LINE_END}250 SIZE ${SIZE}`
const ANSWERS: Readonly<Record<string, string>> = {
  EHLO: HELLO,
  MAIL: '250 2.1.0 Ok',
  RCPT: '250 2.1.5 Ok',
  DATA: '354 Go on',
  RSET: '250 2.0.0 Ok',
  QUIT: '221 2.0.0 Bye',
}

class Session {
  readonly #socket: Socket
  #unread = ''
  #isInMail = false
  #isOver = false

  constructor(socket: Socket) {
    this.#socket = socket
    // Ignore clients that disconnect.
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => this.#read(chunk.toString('latin1')))
    socket.write(`220 sink ESMTP${LINE_END}`)
  }

  /** Answers all commands of a chunk at once. */
  #read(text: string): void {
    this.#unread += text
    let answers = ''
    for (let answer = this.#next(); answer !== undefined; answer = this.#next()) answers += answer + LINE_END
    if (answers !== '') this.#socket.write(answers)
    if (this.#isOver) this.#socket.end()
  }

  /** The reply to the next command or email; undefined until it is complete. */
  #next(): string | undefined {
    if (this.#isInMail) return this.#endMail()
    const end = this.#unread.indexOf(LINE_END)
    if (end === -1) return undefined
    const command = this.#unread.slice(0, 4).toUpperCase()
    // The line end before the dot may have been consumed already.
    this.#unread = this.#unread.slice(command === 'DATA' ? end : end + LINE_END.length)
    this.#isInMail = command === 'DATA'
    this.#isOver = command === 'QUIT'
    return ANSWERS[command] ?? '502 5.5.2 Pardon?'
  }

  #endMail(): string | undefined {
    const end = this.#unread.indexOf(MAIL_END)
    // Of an incomplete email, keep only what may be part of its end.
    this.#unread = end === -1 ? this.#unread.slice(1 - MAIL_END.length) : this.#unread.slice(end + MAIL_END.length)
    this.#isInMail = end === -1
    return this.#isInMail ? undefined : '250 2.0.0 Ok: queued as 4Z'
  }
}

const server = createServer({ noDelay: true }, (socket) => new Session(socket))
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
process.once('SIGTERM', () => process.exit())
