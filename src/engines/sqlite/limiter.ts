/**
 * The limiter of the embedded profile. It decides in memory and writes changed counts shortly after, many at a time,
 * so a killed process loses no more than that moment.
 */

import type { TenantId } from '../../domain/ids.ts'
import { type CounterName, Counts, textOf } from '../../domain/limits/counts.ts'
import type { LimitScope, Tally } from '../../domain/limits/limits.ts'
import type { Clock } from '../../lib/clock.ts'
import { instant } from '../../lib/time.ts'
import type { Limiter } from '../../ports/limiter.ts'
import { inProcessLimiter } from '../shared/in-process-limiter.ts'
import { type Driver, type Remote, remote } from './driver.ts'
import { COUNTS_PER_CALL, type CountRow } from './limit-counts.ts'
import type { StoreMethods } from './store.ts'

type Stored = Remote<StoreMethods, 'limitCounts'>

/** Including the write itself, a count is in the file within 250 ms. */
const WRITE_AFTER_MS = 200

export async function openLimiter(driver: Driver<StoreMethods>, clock: Clock): Promise<Limiter & AsyncDisposable> {
  const stored = remote(driver, 'limitCounts')
  const counts = new Counts((name, text) => behind.add(name, text))
  const behind = new WriteBehind(stored, clock, (name) => toRow(counts, name))
  await load(stored, clock, counts)
  return { ...inProcessLimiter(counts, clock), [Symbol.asyncDispose]: () => behind[Symbol.asyncDispose]() }
}

async function load(stored: Stored, clock: Clock, counts: Counts): Promise<void> {
  const at = clock()
  for (let last: CountRow | undefined; ; ) {
    const rows = await stored.page(at, last)
    for (const [tenant, scope, key, version, tally, endsAt] of rows) {
      const name = { tenantId: tenant as TenantId, scope: scope as LimitScope | 'otp', key, version }
      counts.restore({ name, tally: JSON.parse(tally ?? '[]') as Tally, endsAt: instant(endsAt) })
    }
    last = rows.at(-1)
    if (last === undefined) return
  }
}

function toRow(counts: Counts, name: CounterName): CountRow {
  const { tenantId, scope, key, version } = name
  const count = counts.find(name)
  return [tenantId, scope, key, version, count === undefined ? null : JSON.stringify(count.tally), count?.endsAt ?? 0]
}

/** Writes changed counts with their current value; a failed write is retried with the next one. */
class WriteBehind implements AsyncDisposable {
  readonly #stored: Stored
  readonly #clock: Clock
  readonly #rowOf: (name: CounterName) => CountRow
  readonly #changed = new Map<string, CounterName>()
  #timer: NodeJS.Timeout | undefined
  #writing = Promise.resolve()

  constructor(stored: Stored, clock: Clock, rowOf: (name: CounterName) => CountRow) {
    this.#stored = stored
    this.#clock = clock
    this.#rowOf = rowOf
  }

  add(name: CounterName, text: string): void {
    this.#changed.set(text, name)
    this.#timer ??= setTimeout(() => this.#writeLater(), WRITE_AFTER_MS).unref()
  }

  /** What cannot be written now is lost, as after a crash. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer)
    await this.#writing
    await this.#write()
    clearTimeout(this.#timer)
  }

  #writeLater(): void {
    this.#writing = this.#write().then(() => {
      this.#timer = undefined
      const [next] = this.#changed
      if (next !== undefined) this.add(next[1], next[0])
    })
  }

  async #write(): Promise<void> {
    const names = [...this.#changed.values()]
    this.#changed.clear()
    while (names.length > 0) {
      const portion = names.splice(0, COUNTS_PER_CALL)
      try {
        await this.#stored.write(portion.map(this.#rowOf), this.#clock())
      } catch {
        for (const name of [...portion, ...names]) this.#changed.set(textOf(name), name)
        return
      }
    }
  }
}
