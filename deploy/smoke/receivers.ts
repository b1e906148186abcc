/** The outside world of a gateway that is tried out: a mail server, and an HTTP server for SES and for traces. */
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

export type SmtpReceiver = AsyncDisposable &
  Readonly<{
    port: number
    mails: () => readonly string[]
    /** The senders of the envelopes. */
    senders: () => readonly string[]
  }>
export type HttpReceiver = AsyncDisposable & Readonly<{ port: number; paths: () => readonly string[] }>

export async function openSmtpReceiver(): Promise<SmtpReceiver> {
  const received = { mails: [] as string[], senders: [] as string[] }
  const server = createServer((socket) => void converse(socket, received).catch(() => socket.destroy()))
  return { ...(await listen(server)), mails: () => received.mails, senders: () => received.senders }
}

/** As much of SMTP as a client needs to deliver a mail. */
async function converse(socket: Socket, { mails, senders }: { mails: string[]; senders: string[] }): Promise<void> {
  const reply = (text: string) => socket.write(`${text}\r\n`)
  let mail: string[] | undefined
  reply('220 smoke.example')
  for await (const line of createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (mail !== undefined && line !== '.') {
      mail.push(line)
    } else if (mail !== undefined) {
      mails.push(mail.join('\n'))
      mail = undefined
      reply('250 queued')
    } else if (/^DATA/i.test(line)) {
      mail = []
      reply('354 go ahead')
    } else {
      const [, sender] = /^MAIL FROM:<(.*?)>/i.exec(line) ?? []
      if (sender !== undefined) senders.push(sender)
      reply(/^QUIT/i.test(line) ? '221 bye' : '250 ok')
    }
  }
}

/** Answers every request as SES would; a collector of traces ignores the answer. */
export async function openHttpReceiver(): Promise<HttpReceiver> {
  const paths: string[] = []
  const server = createHttpServer((request, response) => {
    paths.push(request.url ?? '')
    request.resume()
    response.setHeader('content-type', 'application/json').end('{"MessageId":"0100-smoke"}')
  })
  return { ...(await listen(server)), paths: () => paths }
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  await using server = await listen(createServer())
  return server.port
}

async function listen(server: Server): Promise<AsyncDisposable & Readonly<{ port: number }>> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
