/**
 * A slow network on loopback: a TCP proxy that forwards every byte in order after a delay. Each direction of each
 * connection has its own delays. There is no delay until `setPace` is called.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'
import { type Random, randomInteger, seededRandom } from './random.ts'

export type Pace = Readonly<{
  /** Bytes are forwarded after a delay from `least` to `most`. */
  latencyMs: readonly [least: number, most: number]
  /** About this often, nothing is forwarded for `stallMs`. */
  stallEveryMs: number
  stallMs: number
}>

export type SlowProxy = AsyncDisposable &
  Readonly<{
    port: number
    /** Applies to new and existing connections; undefined turns the delays off. */
    setPace: (pace: Pace | undefined) => void
    /** The number of open connections. */
    connections: () => number
  }>

export type Target = Readonly<{ host: string; port: number }>

type Network = { pace: Pace | undefined; readonly random: Random }

/** The proxy stops reading from a sender with this much data waiting. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024

export async function openSlowProxy(target: Target, seed = 1): Promise<SlowProxy> {
  const network: Network = { pace: undefined, random: seededRandom(seed) }
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (caller) => {
    const callee = connect({ ...target, allowHalfOpen: true, noDelay: true })
    for (const [one, other] of [
      [caller, callee],
      [callee, caller],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.resetAndDestroy())
      one.on('close', () => {
        sockets.delete(one)
        // After a graceful end the remaining bytes are still being forwarded.
        if (!one.readableEnded) other.destroy()
      })
      forward(one, other, network)
    }
  })
  const port = await listen(server)
  return {
    port,
    setPace(pace) {
      network.pace = pace
    },
    connections: () => sockets.size / 2,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type DelayedChunk = Readonly<{ dueAt: number; chunk: Buffer | 'end' }>

/** Uses one timer, for the first chunk: a timer per chunk could fire out of order. */
function forward(from: Socket, to: Socket, weather: Network): void {
  const waiting: DelayedChunk[] = []
  let [waitingBytes, stalledUntil, lastDueAt] = [0, 0, 0]
  let nextStallAt = Number.NaN

  const dueFrom = (now: number): number => {
    const { pace, random } = weather
    if (pace === undefined) return now
    if (!(nextStallAt > now)) {
      if (nextStallAt <= now) stalledUntil = now + pace.stallMs
      nextStallAt = Math.max(now, stalledUntil) + 2 * random() * pace.stallEveryMs
    }
    return Math.max(now + randomInteger(random, ...pace.latencyMs), stalledUntil)
  }

  const flush = (): void => {
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      const wait = first.dueAt - performance.now()
      if (wait > 0) return void setTimeout(flush, wait).unref()
      waiting.shift()
      if (first.chunk === 'end') to.end()
      else if (!to.destroyed) {
        to.write(first.chunk)
        waitingBytes -= first.chunk.length
      }
    }
    if (from.isPaused()) from.resume()
  }

  const take = (chunk: DelayedChunk['chunk']): void => {
    lastDueAt = Math.max(lastDueAt, dueFrom(performance.now()))
    waiting.push({ dueAt: lastDueAt, chunk })
    if (chunk !== 'end') waitingBytes += chunk.length
    if (waitingBytes > MAX_WAITING_BYTES) from.pause()
    if (waiting.length === 1) flush()
  }
  from.on('data', take)
  from.once('end', () => take('end'))
}

const listen = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      if (typeof address === 'object' && address !== null) resolve(address.port)
      else reject(new Error('no port'))
    })
  })
