/**
 * The clock of a process: the wall clock, except that it never goes back. It follows the wall clock forward. When the
 * wall clock is set back it goes on by monotonic time, a tenth slower, until the wall clock has caught up: whatever
 * waits in this process waits as long as it was meant to, and newer events have later times.
 *
 * What others judge by their own clocks goes by `wall` instead: tokens, signatures, deadlines (see ADR 24).
 */

import { type Instant, instant, type Millis, millis } from './time.ts'

/** Milliseconds that nobody sets, counted from the same moment in all threads of a process. */
type Monotonic = () => number

/** A point in time; never earlier than one it gave before. */
export type Clock = () => Instant

export type ClockSources = Readonly<{ wall: Clock; monotonic: Monotonic }>

export type ProcessClock = Readonly<{
  now: Clock
  wall: Clock
  /** How far `now` is ahead of the wall clock. */
  ahead: () => Millis
  /** From now on it is not earlier than that. */
  advanceTo: (at: Instant) => void
  /** What other threads follow it by. */
  shared: SharedArrayBuffer
}>

/** How much slower it goes while it is ahead. */
const SLOWDOWN = 0.1
/** A step back by more than this is told of. */
const NOTABLE_MS = 1_000
const MICROS = 1_000

export const SYSTEM: ClockSources = {
  wall: () => instant(Date.now()),
  monotonic: () => Number(process.hrtime.bigint() / 1_000n) / MICROS,
}

/** `onSetBack` is told by how much the wall clock is behind, once for each step back. */
export function openClock(onSetBack: (behind: Millis) => void, { wall, monotonic } = SYSTEM): ProcessClock {
  const shared = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)
  const published = new BigInt64Array(shared)
  let last = monotonic()
  let offset = wall() - last
  let known = 0

  function set(next: number): void {
    offset = next
    Atomics.store(published, 0, BigInt(Math.round(next * MICROS)))
  }

  function delivery(behind: number): void {
    if (behind > known + NOTABLE_MS) onSetBack(millis(behind))
    known = behind
  }

  function now(): Instant {
    const [at, real] = [monotonic(), wall()]
    const [elapsed, behind] = [at - last, at + offset - real]
    last = at
    // The wall clock is read in whole milliseconds.
    if (behind < -1) set(real - at)
    else if (behind > 1) set(offset - Math.min(behind, elapsed * SLOWDOWN))
    delivery(Math.max(behind, 0))
    return instant(Math.floor(at + offset))
  }

  /** Less is within what clocks differ by anyway. */
  function ahead(): Millis {
    const by = now() - wall()
    return millis(by > NOTABLE_MS ? by : 0)
  }

  set(offset)
  return {
    now,
    wall,
    ahead,
    advanceTo: (at) => {
      const here = monotonic()
      if (here + offset < at) set(at - here)
    },
    shared,
  }
}

/** The same clock in another thread. Slowing down reaches it in small steps, and it does not go back for them. */
export function followClock(shared: SharedArrayBuffer, monotonic: Monotonic = SYSTEM.monotonic): Clock {
  const published = new BigInt64Array(shared)
  let last = 0
  return () => {
    last = Math.max(last, Math.floor(monotonic() + Number(Atomics.load(published, 0)) / MICROS))
    return instant(last)
  }
}

/** A clock that its owner turns, whatever the machine's says. Other threads go by that of the machine. */
export function turnedClock(clock: Clock): ProcessClock {
  const { shared } = openClock(() => undefined)
  return { now: clock, wall: clock, ahead: () => millis(0), advanceTo: () => undefined, shared }
}
