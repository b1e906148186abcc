/**
 * What was counted, one row per counter. Whoever changes rows locks them first, always in the same
 * order, so that nobody waits for each other in a circle.
 */
import { type Count, combined } from '../../domain/limits/combined-tallies.ts'
import { type Counter, current, endsAt, NOTHING, nameOf, type Tally } from '../../domain/limits/limits.ts'
import type { Instant } from '../../lib/time.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { Database, Done, Held, Rows, Statement } from './database.ts'

/** `counts` are what to write instead of those found; without, all is as before. */
export type Deed<Value> = Readonly<{ value: Value; counts?: readonly Count[] }>

/** A row may be swept between being found and being locked; not again and again. */
const TRIES = 3
/** Nobody whose clock is slow misses what is swept. */
const SWEEP_AFTER_MS = 60_000
const SWEEP_LIMIT = 1_000

export class LimitCounts {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Without waiting for anybody. */
  async read(counters: readonly Counter[]): Promise<readonly Count[]> {
    return toCounts(counters, await this.#db.asSystem(READ, [toKeys(counters)]))
  }

  /** Acts while nobody else can count on these. */
  async holding<Value>(
    counters: readonly Counter[],
    act: (found: readonly Count[]) => Promise<Deed<Value>>,
  ): Promise<Done<Value>> {
    return this.#hold([MAKE, LOCK], toKeys(counters), async ([, rows = []]) => {
      if (rows.length < counters.length) return { value: SWEPT }
      const { value, counts } = await act(toCounts(counters, rows))
      return counts === undefined ? { value } : { value, write: toWrite(counts) }
    })
  }

  /**
   * Adds what was counted elsewhere, which may also take something back, and answers what is counted now.
   * Most counters are new: they are written as they will be, and not read.
   */
  async add(changes: readonly Count[], at: Instant): Promise<readonly Count[]> {
    const news = changes.map(({ counter, tally }) => sumOf(counter, NOTHING, tally, at))
    const { value, fault } = await this.#hold([ADD, LOCK_OTHERS], toRows(news), async ([made = [], rows = []]) => {
      if (Number(made[0]?.['made']) + rows.length < changes.length) return { value: SWEPT }
      const found = toFound(rows)
      const sums = news.map((count, nth) => {
        const known = found.get(nameOf(count.counter))
        return known === undefined ? count : sumOf(count.counter, known, changes[nth]?.tally ?? NOTHING, at)
      })
      return { value: sums, write: toWrite(sums.filter((sum, nth) => sum !== news[nth])) }
    })
    if (fault !== undefined) throw fault
    return value
  }

  async #hold<Value>(
    texts: readonly string[],
    told: string,
    act: (found: readonly Rows[]) => Promise<Held<Value | Swept>>,
  ): Promise<Done<Value>> {
    const first = texts.map((text) => ({ text, values: [told] }))
    for (let tries = 1; tries <= TRIES; tries += 1) {
      const done = await this.#db.holding<Value | Swept>(first, act)
      const { value } = done
      if (value !== SWEPT) return { ...done, value }
    }
    throw new Unavailable('the counters are swept faster than they can be locked')
  }

  /** Deletes some of what no longer counts. */
  async sweep(at: Instant): Promise<void> {
    await this.#db.asSystem(SWEEP, [at - SWEEP_AFTER_MS, SWEEP_LIMIT])
  }
}

const SWEPT = Symbol('swept')
type Swept = typeof SWEPT

const KEY = 'tenant, scope, key, version'
const TOLD = 'json_to_recordset($1::json) as told (tenant text, scope text, key text, version bigint'
const SAME = '(c.tenant, c.scope, c.key, c.version) = (told.tenant, told.scope, told.key, told.version)'
const IN_ORDER = 'order by told.tenant collate "C", told.scope collate "C", told.key collate "C", told.version'

const READ = `select c.* from pombo.limit_counts c join ${TOLD}) on ${SAME}`

const MAKE = `
  insert into pombo.limit_counts (${KEY}, tally, ends_at)
  select ${KEY}, '[]', 0 from ${TOLD}) ${IN_ORDER} on conflict do nothing
`

const LOCK = `${READ} ${IN_ORDER} for update of c`

const ADD = `
  with made as (
    insert into pombo.limit_counts (${KEY}, tally, ends_at)
    select ${KEY}, tally, ends_at from ${TOLD}, tally text, ends_at bigint) ${IN_ORDER} on conflict do nothing
    returning 1
  )
  select count(*) as made from made
`

/** Those that this transaction has not made. */
const LOCK_OTHERS = `${READ} where c.xmin <> pg_current_xact_id()::xid ${IN_ORDER} for update of c`

const WRITE = `
  update pombo.limit_counts c set tally = told.tally, ends_at = told.ends_at
  from ${TOLD}, tally text, ends_at bigint) where ${SAME}
`

const SWEEP = `
  delete from pombo.limit_counts where ctid = any (array(
    select ctid from pombo.limit_counts where ends_at < $1 order by ends_at limit $2 for update skip locked
  ))
`

const toKey = ({ tenantId, scope, key, version }: Counter) => ({ tenant: tenantId, scope, key, version })
const toKeys = (counters: readonly Counter[]): string => JSON.stringify(counters.map(toKey))

const toRows = (counts: readonly Count[]): string =>
  JSON.stringify(
    counts.map(({ counter, tally }) => ({
      ...toKey(counter),
      tally: JSON.stringify(tally),
      ends_at: endsAt(counter.rule, tally) ?? 0,
    })),
  )

const toWrite = (counts: readonly Count[]): Statement => ({ text: WRITE, values: [toRows(counts)] })

const sumOf = (counter: Counter, tally: Tally, change: Tally, at: Instant): Count => ({
  counter,
  tally: current(counter.rule, combined(counter.rule, tally, change), at),
})

const toFound = (rows: Rows): ReadonlyMap<string, Tally> =>
  new Map(
    rows.map(({ tenant, scope, key, version, tally }) => [
      `${tenant}:${scope}:${key}:${version}`,
      JSON.parse(String(tally)) as Tally,
    ]),
  )

/** In the order of the counters; one that is not there has counted nothing. */
function toCounts(counters: readonly Counter[], rows: Rows): readonly Count[] {
  const found = toFound(rows)
  return counters.map((counter) => ({ counter, tally: found.get(nameOf(counter)) ?? NOTHING }))
}
