/**
 * A mail server that takes whatever it is given and forgets it: as little of ESMTP as a client needs, so that nearly
 * all of the cores is left to whom it serves. It says on which port it listens.
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
    // Whoever hangs up is not missed.
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => this.#read(chunk.toString('latin1')))
    socket.write(`220 sink ESMTP${LINE_END}`)
  }

  /** What came together is answered together. */
  #read(text: string): void {
    this.#unread += text
    let answers = ''
    for (let answer = this.#next(); answer !== undefined; answer = this.#next()) answers += answer + LINE_END
    if (answers !== '') this.#socket.write(answers)
    if (this.#isOver) this.#socket.end()
  }

  /** The answer to the next command, or to a mail; undefined until it is there as a whole. */
  #next(): string | undefined {
    if (this.#isInMail) return this.#endMail()
    const end = this.#unread.indexOf(LINE_END)
    if (end === -1) return undefined
    const command = this.#unread.slice(0, 4).toUpperCase()
    // Its line end may be the one before the dot.
    this.#unread = this.#unread.slice(command === 'DATA' ? end : end + LINE_END.length)
    this.#isInMail = command === 'DATA'
    this.#isOver = command === 'QUIT'
    return ANSWERS[command] ?? '502 5.5.2 Pardon?'
  }

  #endMail(): string | undefined {
    const end = this.#unread.indexOf(MAIL_END)
    // Of a mail that is not over only what may be part of its end is kept.
    this.#unread = end === -1 ? this.#unread.slice(1 - MAIL_END.length) : this.#unread.slice(end + MAIL_END.length)
    this.#isInMail = end === -1
    return this.#isInMail ? undefined : '250 2.0.0 Ok: queued as 4Z'
  }
}

const server = createServer({ noDelay: true }, (socket) => new Session(socket))
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
process.once('SIGTERM', () => process.exit())
