/**
 * Whose job is next: lanes by weight, tenants in turn. Each round draws as many turns as jobs are
 * wanted, asks the lines whose turns they are for just so many, and hands out in that order what
 * came. A line that had nothing is left with a standing question for one job, so that it is back in
 * the rounds as soon as it has one, however full the others are. A line that stays without work is not
 * polled any more: see arrivals.ts.
 */
import { type FairTurns, fairTurns } from '../../domain/message/fair-turns.ts'
import type { Lane } from '../../domain/message/message.ts'
import { LANE_WEIGHTS } from '../../ports/queue.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { Arrivals } from './arrivals.ts'
import { type Bell, bell } from './bell.ts'
import type { Held } from './in-flight.ts'
import { atMost } from './pause.ts'
import type { PullEnd } from './pulls.ts'
import { consumerOf, type TenantLane } from './subjects.ts'
import { type LineDeps, TenantQueue } from './tenant-queue.ts'

/** A round does not wait longer for a line: what comes later is for the next round. */
const ROUND_MS = 250
/** A line that could not be asked is left alone for this long. */
const REST_MS = 1_000
/** A job that came and finds nobody free goes back, for others may be. */
const LINGER_MS = 100

export class TenantQueues implements AsyncDisposable {
  readonly #deps: LineDeps
  readonly #lines = new Map<string, TenantQueue>()
  readonly #turns: FairTurns = fairTurns(LANE_WEIGHTS)
  /** Those that take turns: they have a job, or may have. */
  readonly #up = new Set<TenantQueue>()
  /** Those that have none, and are to be asked for the next one. */
  readonly #quiet = new Set<TenantQueue>()
  readonly #resting = new Set<NodeJS.Timeout>()
  readonly #news: Bell = bell()
  readonly #arrivals: Arrivals
  readonly #unlisten: () => void
  #round: Promise<unknown> | undefined
  #lingering: NodeJS.Timeout | undefined
  #takers = 0
  #fault: unknown
  #isClosed = false

  constructor(deps: LineDeps) {
    this.#deps = deps
    this.#arrivals = new Arrivals(deps.js, deps.names, (name) => this.know(name))
    this.#unlisten = deps.js.connection.onTurn(() => this.#news.ring())
  }

  /** There is work in this line, or will be soon. */
  know(name: TenantLane): void {
    if (this.#isClosed) return
    const known = this.#lines.get(consumerOf(name))
    const line: TenantQueue = known ?? new TenantQueue(this.#deps, name, () => this.#arrived(line))
    line.usedAt = Date.now()
    if (known !== undefined) return
    this.#arrivals.cancel(name)
    this.#lines.set(consumerOf(name), line)
    this.#raise(line)
  }

  /** These lines exist, and have work now or some day. */
  async expect(names: readonly TenantLane[]): Promise<void> {
    if (this.#isClosed) return
    await this.#arrivals.expect(names.filter((name) => !this.#lines.has(consumerOf(name))))
  }

  /** Up to `max` jobs; waits for the first until `signal` ends it. One round at a time, so that no turn is drawn for two. */
  async take(max: number, signal: AbortSignal): Promise<readonly Held[]> {
    this.#takers += 1
    try {
      while (!signal.aborted && !this.#isClosed) {
        this.#assertWorking()
        this.#askQuiet()
        if (this.#round !== undefined) {
          await this.#round
        } else if (this.#up.size > 0) {
          const taken = await this.#begin(max)
          if (taken.length > 0) return taken
        } else {
          await this.#news.rung(signal)
        }
      }
      return []
    } finally {
      this.#takers -= 1
    }
  }

  /** Of a lane, the jobs that have come here, or went back, without anybody taking them. */
  unclaimed(lane: Lane): number {
    const inLane = this.#lines.values().filter(({ name }) => name.lane === lane)
    return inLane.reduce((sum, line) => sum + line.unclaimed, 0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    this.#unlisten()
    this.#arrivals[Symbol.dispose]()
    clearTimeout(this.#lingering)
    for (const timer of this.#resting) clearTimeout(timer)
    this.#news.ring()
    await Promise.all(this.#lines.values().map((line) => line[Symbol.asyncDispose]()))
  }

  #assertWorking(): void {
    if (!this.#deps.js.connection.isUp) throw new Unavailable('the broker is away')
    const fault = this.#fault
    this.#fault = undefined
    if (fault !== undefined) throw fault
  }

  #begin(max: number): Promise<readonly Held[]> {
    const round = this.#goRound(max).finally(() => {
      this.#round = undefined
    })
    this.#round = round
    return round
  }

  async #goRound(max: number): Promise<readonly Held[]> {
    const drawn = this.#draw(max)
    const counts = Map.groupBy(drawn, (line) => line)
    const asked = [...counts].map(([line, { length }]) => {
      const missing = length - line.buffer.length
      return missing > 0 ? this.#ask(line, line.ask(missing)) : undefined
    })
    await atMost(ROUND_MS, Promise.all(asked))
    const taken = drawn.flatMap((line) => line.buffer.shift() ?? [])
    for (const line of counts.keys()) if (!line.isAsking) this.#settle(line)
    return taken
  }

  /** Up to `max` turns, of lines that have a job for each of them or may have. */
  #draw(max: number): readonly TenantQueue[] {
    const drawn: TenantQueue[] = []
    const counts = new Map<TenantQueue, number>()
    while (drawn.length < max) {
      const turn = this.#turns.next()
      const line = turn && this.#lines.get(consumerOf(turn))
      if (line === undefined) break
      const count = counts.get(line) ?? 0
      if (count >= line.buffer.length && (line.isAsking || !line.more)) {
        this.#lower(line)
      } else {
        counts.set(line, count + 1)
        drawn.push(line)
      }
    }
    return drawn
  }

  async #ask(line: TenantQueue, asked: Promise<PullEnd>): Promise<void> {
    try {
      const end = await asked
      if (end === 'full' || end === 'empty') this.#settle(line)
      else this.#rest(line)
    } catch (error) {
      if (!(error instanceof Unavailable)) this.#fault = error
      this.#rest(line)
    }
  }

  /** A standing question costs a job that comes to nobody when nobody takes jobs; so then there is none. */
  #askQuiet(): void {
    if (this.#takers === 0) return
    for (const line of this.#quiet) {
      this.#quiet.delete(line)
      void this.#ask(line, line.poll())
    }
  }

  /** What a line does next, by what it has. */
  #settle(line: TenantQueue): void {
    if (this.#isClosed) return
    if (line.buffer.length > 0 || line.more) {
      this.#raise(line)
    } else if (Date.now() - line.usedAt > this.#deps.idleAfter) {
      this.#forget(line)
    } else {
      this.#lower(line)
      this.#quiet.add(line)
      this.#askQuiet()
    }
  }

  #rest(line: TenantQueue): void {
    if (this.#isClosed) return
    this.#lower(line)
    const timer = setTimeout(() => {
      this.#resting.delete(timer)
      line.more = true
      this.#settle(line)
    }, REST_MS).unref()
    this.#resting.add(timer)
  }

  #raise(line: TenantQueue): void {
    this.#quiet.delete(line)
    this.#up.add(line)
    this.#turns.add(line.name.lane, line.name.tenantId)
    this.#news.ring()
  }

  #lower(line: TenantQueue): void {
    this.#up.delete(line)
    this.#turns.remove(line.name.lane, line.name.tenantId)
  }

  #forget(line: TenantQueue): void {
    this.#lower(line)
    this.#lines.delete(consumerOf(line.name))
    void line[Symbol.asyncDispose]()
    this.#arrivals.expect([line.name]).catch((error: unknown) => {
      if (!(error instanceof Unavailable)) this.#fault = error
      // We could not see that it is empty, so we go on polling.
      this.know(line.name)
    })
  }

  #arrived(line: TenantQueue): void {
    if (this.#isClosed) return
    this.#raise(line)
    this.#lingering ??= setTimeout(() => this.#putBack(), LINGER_MS).unref()
  }

  /** What nobody has come for goes back into its line; a round is somebody who comes. */
  #putBack(): void {
    this.#lingering = undefined
    const waiting = [...this.#up].filter(({ buffer }) => buffer.length > 0)
    if (waiting.length === 0 || !this.#deps.js.connection.isUp) return
    if (this.#round === undefined) for (const line of waiting) line.putBack(performance.now() - LINGER_MS)
    this.#lingering = setTimeout(() => this.#putBack(), LINGER_MS).unref()
  }
}
