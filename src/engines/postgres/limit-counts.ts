/** Stored counts, one row per counter. Rows are always locked in the same order, so that transactions never deadlock. */
import { type Count, combined } from '../../domain/limits/combined-tallies.ts'
import { type Counter, current, endsAt, NOTHING, nameOf, type Tally } from '../../domain/limits/limits.ts'
import type { Instant } from '../../lib/time.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { ActResult, Database, Done, Rows, Statement } from './database.ts'

/** `counts` replace those found; without them nothing changes. */
export type CountResult<Value> = Readonly<{ value: Value; counts?: readonly Count[] }>

/** A row may be swept between being found and being locked, but not repeatedly. */
const TRIES = 3
/** Expired counts are kept this long for processes whose clock is slow. */
const SWEEP_AFTER_MS = 60_000
const SWEEP_LIMIT = 1_000

export class LimitCounts {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Without locking. */
  async read(counters: readonly Counter[]): Promise<readonly Count[]> {
    return toCounts(counters, await this.#db.asSystem(READ, [toKeys(counters)]))
  }

  /** Acts while the counters are locked. */
  async holding<Value>(
    counters: readonly Counter[],
    act: (found: readonly Count[]) => Promise<CountResult<Value>>,
  ): Promise<Done<Value>> {
    return this.#hold([MAKE, LOCK], toKeys(counters), async ([, rows = []]) => {
      if (rows.length < counters.length) return { value: SWEPT }
      const { value, counts } = await act(toCounts(counters, rows))
      return counts === undefined ? { value } : { value, write: toWrite(counts) }
    })
  }

  /**
   * Adds what was counted elsewhere, which may be negative, and returns the sums. Most counters are new: they are
   * inserted without reading them first.
   */
  async add(changes: readonly Count[], at: Instant): Promise<readonly Count[]> {
    const added = changes.map(({ counter, tally }) => sumOf(counter, NOTHING, tally, at))
    const { value, fault } = await this.#hold([ADD, LOCK_OTHERS], toRows(added), async ([made = [], rows = []]) => {
      if (Number(made[0]?.['made']) + rows.length < changes.length) return { value: SWEPT }
      const found = toFound(rows)
      const sums = added.map((count, nth) => {
        const stored = found.get(nameOf(count.counter))
        return stored === undefined ? count : sumOf(count.counter, stored, changes[nth]?.tally ?? NOTHING, at)
      })
      return { value: sums, write: toWrite(sums.filter((sum, nth) => sum !== added[nth])) }
    })
    if (fault !== undefined) throw fault
    return value
  }

  async #hold<Value>(
    texts: readonly string[],
    given: string,
    act: (found: readonly Rows[]) => Promise<ActResult<Value | Swept>>,
  ): Promise<Done<Value>> {
    const first = texts.map((text) => ({ text, values: [given] }))
    for (let tries = 1; tries <= TRIES; tries += 1) {
      const done = await this.#db.holding<Value | Swept>(first, act)
      const { value } = done
      if (value !== SWEPT) return { ...done, value }
    }
    throw new Unavailable('limit counters are swept faster than they can be locked')
  }

  /** Deletes some of the expired counts. */
  async sweep(at: Instant): Promise<void> {
    await this.#db.asSystem(SWEEP, [at - SWEEP_AFTER_MS, SWEEP_LIMIT])
  }
}

const SWEPT = Symbol('swept')
type Swept = typeof SWEPT

const KEY = 'tenant, scope, key, version'
const GIVEN = 'json_to_recordset($1::json) as given (tenant text, scope text, key text, version bigint'
const SAME = '(c.tenant, c.scope, c.key, c.version) = (given.tenant, given.scope, given.key, given.version)'
const IN_ORDER = 'order by given.tenant collate "C", given.scope collate "C", given.key collate "C", given.version'

const READ = `select c.* from pombo.limit_counts c join ${GIVEN}) on ${SAME}`

const MAKE = `
  insert into pombo.limit_counts (${KEY}, tally, ends_at)
  select ${KEY}, '[]', 0 from ${GIVEN}) ${IN_ORDER} on conflict do nothing
`

const LOCK = `${READ} ${IN_ORDER} for update of c`

const ADD = `
  with made as (
    insert into pombo.limit_counts (${KEY}, tally, ends_at)
    select ${KEY}, tally, ends_at from ${GIVEN}, tally text, ends_at bigint) ${IN_ORDER} on conflict do nothing
    returning 1
  )
  select count(*) as made from made
`

/** Those that this transaction has not inserted. */
const LOCK_OTHERS = `${READ} where c.xmin <> pg_current_xact_id()::xid ${IN_ORDER} for update of c`

const WRITE = `
  update pombo.limit_counts c set tally = given.tally, ends_at = given.ends_at
  from ${GIVEN}, tally text, ends_at bigint) where ${SAME}
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

/** In the order of the counters; a missing one has counted nothing. */
function toCounts(counters: readonly Counter[], rows: Rows): readonly Count[] {
  const found = toFound(rows)
  return counters.map((counter) => ({ counter, tally: found.get(nameOf(counter)) ?? NOTHING }))
}
