/**
 * What was counted, one row per counter. Whoever changes rows locks them first, always in the same
 * order, so that nobody waits for each other in a circle.
 */
import { type Count, combined } from '../../domain/combined-tallies.ts'
import { type Counter, current, endsAt, NOTHING, type Tally } from '../../domain/limits.ts'
import type { Instant } from '../../domain/time.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { Database, Done, Rows, Statement } from './database.ts'

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
    const keys = toKeys(counters)
    const first = [MAKE, LOCK].map((text) => ({ text, values: [keys] }))
    for (let tries = 1; tries <= TRIES; tries += 1) {
      const done = await this.#db.holding<Value | Swept>(first, async ([, rows = []]) => {
        if (rows.length < counters.length) return { value: SWEPT }
        const { value, counts } = await act(toCounts(counters, rows))
        return counts === undefined ? { value } : { value, write: toWrite(counts) }
      })
      const { value } = done
      if (value !== SWEPT) return { ...done, value }
    }
    throw new Unavailable('the counters are swept faster than they can be locked')
  }

  /** Adds what was counted elsewhere, which may also take something back, and answers what is counted now. */
  async add(changes: readonly Count[], at: Instant): Promise<readonly Count[]> {
    const counters = changes.map(({ counter }) => counter)
    const { value, fault } = await this.holding(counters, async (found) => {
      const counts = found.map(({ counter, tally }, nth) => {
        const sum = combined(counter.rule, tally, changes[nth]?.tally ?? NOTHING)
        return { counter, tally: current(counter.rule, sum, at) }
      })
      return { value: counts, counts }
    })
    if (fault !== undefined) throw fault
    return value
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

function toWrite(counts: readonly Count[]): Statement {
  const rows = counts.map(({ counter, tally }) => ({
    ...toKey(counter),
    tally: JSON.stringify(tally),
    ends_at: endsAt(counter.rule, tally) ?? 0,
  }))
  return { text: WRITE, values: [JSON.stringify(rows)] }
}

/** In the order of the counters; one that is not there has counted nothing. */
function toCounts(counters: readonly Counter[], rows: Rows): readonly Count[] {
  const found = new Map(
    rows.map(({ tenant, scope, key, version, tally }) => [JSON.stringify([tenant, scope, key, version]), tally]),
  )
  return counters.map((counter) => {
    const tally = found.get(JSON.stringify(Object.values(toKey(counter))))
    return { counter, tally: tally === undefined ? NOTHING : (JSON.parse(String(tally)) as Tally) }
  })
}
