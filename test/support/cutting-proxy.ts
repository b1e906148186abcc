/** A TCP proxy on loopback that breaks a connection in the middle of what the target sends. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { Target } from './slow-proxy.ts'

export type CuttingProxy = AsyncDisposable &
  Readonly<{
    port: number
    /** Forwards this many more bytes to the next connection that receives any, breaks it, and resolves. Later ones work. */
    cutAfter: (bytes: number) => Promise<void>
  }>

export async function openCuttingProxy(target: Target): Promise<CuttingProxy> {
  const sockets = new Set<Socket>()
  let cut: { left: number; readonly done: () => void } | undefined
  const server = createServer({ noDelay: true }, (caller) => {
    const callee = connect({ ...target, noDelay: true })
    for (const [one, other] of [
      [caller, callee],
      [callee, caller],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => sockets.delete(one))
    }
    caller.pipe(callee)
    callee.on('end', () => caller.end())
    callee.on('data', (chunk) => {
      if (cut === undefined) return void caller.write(chunk)
      const { left, done } = cut
      cut.left -= chunk.length
      if (chunk.length < left) return void caller.write(chunk)
      cut = undefined
      // Ended gracefully, so that these bytes arrive and no more.
      caller.end(chunk.subarray(0, left), done)
      callee.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  return {
    port: address.port,
    cutAfter: (bytes) =>
      new Promise((done) => {
        cut = { left: bytes, done }
      }),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
