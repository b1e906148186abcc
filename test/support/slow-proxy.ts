/**
 * A slow network on loopback: a TCP proxy that hands on every byte, in order, some time after it came.
 * Each direction of each connection has delays of its own; until it is told to be slow it has none.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'
import { between, type Dice, seededDice } from './dice.ts'

export type Pace = Readonly<{
  /** What comes is handed on after a time from the first to the second. */
  latencyMs: readonly [least: number, most: number]
  /** Now and then, about so often, nothing is handed on for a while. */
  stallEveryMs: number
  stallMs: number
}>

export type SlowProxy = AsyncDisposable &
  Readonly<{
    port: number
    /** From now on, for new connections and for those that are there; undefined is as fast as it can. */
    setPace: (pace: Pace | undefined) => void
    /** How many connections go through it right now. */
    connections: () => number
  }>

export type Target = Readonly<{ host: string; port: number }>

type Weather = { pace: Pace | undefined; readonly dice: Dice }

/** A sender is held up when so much of it waits to be handed on. */
const MOST_WAITING_BYTES = 8 * 1024 * 1024

export async function openSlowProxy(target: Target, seed = 1): Promise<SlowProxy> {
  const weather: Weather = { pace: undefined, dice: seededDice(seed) }
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
        // After an end in good order the rest is still under way.
        if (!one.readableEnded) other.destroy()
      })
      carry(one, other, weather)
    }
  })
  const port = await listen(server)
  return {
    port,
    setPace(pace) {
      weather.pace = pace
    },
    connections: () => sockets.size / 2,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type Parcel = Readonly<{ dueAt: number; chunk: Buffer | 'end' }>

/** One timer for the first of them: timers of their own could go off in another order. */
function carry(from: Socket, to: Socket, weather: Weather): void {
  const waiting: Parcel[] = []
  let [waitingBytes, stalledUntil, lastDueAt] = [0, 0, 0]
  let nextStallAt = Number.NaN

  const dueFrom = (now: number): number => {
    const { pace, dice } = weather
    if (pace === undefined) return now
    if (!(nextStallAt > now)) {
      if (nextStallAt <= now) stalledUntil = now + pace.stallMs
      nextStallAt = Math.max(now, stalledUntil) + 2 * dice() * pace.stallEveryMs
    }
    return Math.max(now + between(dice, ...pace.latencyMs), stalledUntil)
  }

  const handOn = (): void => {
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      const wait = first.dueAt - performance.now()
      if (wait > 0) return void setTimeout(handOn, wait).unref()
      waiting.shift()
      if (first.chunk === 'end') to.end()
      else if (!to.destroyed) {
        to.write(first.chunk)
        waitingBytes -= first.chunk.length
      }
    }
    if (from.isPaused()) from.resume()
  }

  const take = (chunk: Parcel['chunk']): void => {
    lastDueAt = Math.max(lastDueAt, dueFrom(performance.now()))
    waiting.push({ dueAt: lastDueAt, chunk })
    if (chunk !== 'end') waitingBytes += chunk.length
    if (waitingBytes > MOST_WAITING_BYTES) from.pause()
    if (waiting.length === 1) handOn()
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
