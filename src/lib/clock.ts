/**
 * The clock of a process: the wall clock, except that it never goes back. When the wall clock is set back, this clock
 * continues by monotonic time, a tenth slower, until the wall clock has caught up. Timeouts keep their length, and
 * newer events have later times.
 *
 * What other machines check against their own clocks uses `wall` instead: tokens, signatures, deadlines (ADR 24).
 */

import { type Instant, instant, type Millis, millis } from './time.ts'

/** Monotonic milliseconds, with the same origin in all threads of a process. */
type Monotonic = () => number

/** The current time; never earlier than before. */
export type Clock = () => Instant

export type ClockSources = Readonly<{ wall: Clock; monotonic: Monotonic }>

export type ProcessClock = Readonly<{
  now: Clock
  wall: Clock
  /** How far `now` is ahead of the wall clock. */
  ahead: () => Millis
  /** Moves the clock forward to at least this time. */
  advanceTo: (at: Instant) => void
  /** Shared with other threads, which follow the clock by it. */
  shared: SharedArrayBuffer
}>

/** How much slower the clock runs while it is ahead. */
const SLOWDOWN = 0.1
/** Smaller steps back are not reported. */
const NOTABLE_MS = 1_000
const MICROS = 1_000

/** `performance.now` costs no garbage, but starts at zero in every thread. */
const threadStart = (): number => Number(process.hrtime.bigint() / 1_000n) / MICROS - performance.now()
// The first reading takes longer, which would be part of the difference.
threadStart()
const THREAD_START = threadStart()

export const SYSTEM: ClockSources = {
  wall: () => instant(Date.now()),
  monotonic: () => THREAD_START + performance.now(),
}

/** `onSetBack` gets by how much the wall clock is behind, once for each step back. */
export function openClock(onSetBack: (behind: Millis) => void, { wall, monotonic } = SYSTEM): ProcessClock {
  const shared = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)
  const published = new BigInt64Array(shared)
  let last = monotonic()
  let offset = wall() - last
  let reported = 0

  function set(next: number): void {
    offset = next
    Atomics.store(published, 0, BigInt(Math.round(next * MICROS)))
  }

  function report(behind: number): void {
    if (behind > reported + NOTABLE_MS) onSetBack(millis(behind))
    reported = behind
  }

  function now(): Instant {
    const at = monotonic()
    const real = wall()
    const elapsed = at - last
    const behind = at + offset - real
    last = at
    // The wall clock has a resolution of one millisecond.
    if (behind < -1) set(real - at)
    else if (behind > 1) set(offset - Math.min(behind, elapsed * SLOWDOWN))
    report(Math.max(behind, 0))
    return instant(Math.floor(at + offset))
  }

  /** Smaller differences are normal clock drift. */
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

/** The same clock in another thread. Never goes back, although it sees the slowdown in small steps. */
export function followClock(shared: SharedArrayBuffer, monotonic: Monotonic = SYSTEM.monotonic): Clock {
  const published = new BigInt64Array(shared)
  let last = 0
  return () => {
    last = Math.max(last, Math.floor(monotonic() + Number(Atomics.load(published, 0)) / MICROS))
    return instant(last)
  }
}

/** A clock that its owner sets. Other threads use the machine's clock. */
export function turnedClock(clock: Clock): ProcessClock {
  const { shared } = openClock(() => undefined)
  return { now: clock, wall: clock, ahead: () => millis(0), advanceTo: () => undefined, shared }
}
