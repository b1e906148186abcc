/**
 * A man in the middle between a mail client and a server: a TCP proxy that removes STARTTLS from the server's
 * capabilities, refuses the command if it is sent anyway, and records every octet that the client sends.
 */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export type StarttlsStripper = AsyncDisposable & Readonly<{ port: number; received: () => string }>

const REFUSED = '502 5.5.1 Command not implemented\r\n'

/** `hides`: removes STARTTLS from the answer to EHLO; otherwise only the command is refused. */
export async function openStarttlsStripper(target: number, hides = true): Promise<StarttlsStripper> {
  const chunks: Buffer[] = []
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    client.on('data', (chunk) => {
      chunks.push(chunk)
      if (/^STARTTLS\r\n/i.test(chunk.toString('latin1'))) client.write(REFUSED)
      else upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      const text = chunk.toString('latin1')
      client.write(hides ? text.replace('STARTTLS', 'XXXXXXXX') : text, 'latin1')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  return {
    port: address.port,
    received: () => Buffer.concat(chunks).toString('latin1'),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
