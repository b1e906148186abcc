/**
 * The queue in a table. One row per message: ready, delayed or parked. Leases are in memory, because they end with the
 * process. Ready jobs are taken in fair turns from small buffers that are filled from the table, so a long queue costs
 * no memory.
 *
 * A row with a gate is parked while it has a `due_at`; without one it is ready and comes from that gate.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { MessageId, ProviderName, TenantId } from '../../domain/ids.ts'
import { fairScheduler } from '../../domain/message/fair-scheduler.ts'
import { LANES, type Lane } from '../../domain/message/message.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Depth, LANE_WEIGHTS, type Parked } from '../../ports/queue.ts'
import { toUuid } from './uuid.ts'

/** `gate` is the provider names, separated by spaces. */
export type TakenRow = readonly [id: MessageId, tenant: TenantId, lane: Lane, leaseToken: number, gate: string | null]

type Ready = Readonly<{ n: number; id: MessageId; leaseToken: number; gate: string | null }>
/** The jobs of one tenant in one lane. Those up to `cursor` are in the buffer, last one first, or taken. */
type TenantQueue = { readonly lane: Lane; readonly tenant: TenantId; buffer: Ready[]; cursor: number }
type Lease = Readonly<{ job: Ready; queue: TenantQueue; until: number }>

const BUFFER = 64
/** How many delayed jobs become ready at a time, so that many of them do not block other calls. */
const PROMOTE = 500
const LEASE_MS = 120_000

export class JobTable {
  readonly #sql: ReturnType<typeof prepare>
  readonly #clock: Clock
  readonly #turns = fairScheduler(LANE_WEIGHTS)
  readonly #queues = new Map<string, TenantQueue>()
  readonly #leases = new Map<number, Lease>()
  /** Every gate that may have parked jobs. */
  readonly #gates = new Set<string>()
  #lastLeaseToken: number
  #nextDue = Number.POSITIVE_INFINITY
  #readied = 0

  constructor(db: DatabaseSync, clock: Clock) {
    this.#sql = prepare(db)
    this.#clock = clock
    this.#lastLeaseToken = Number(this.#sql.lastLeaseToken.get()?.['lease_token'] ?? 0)
    this.recall()
  }

  /**
   * Reloads its state from the table after a rollback. Leases stay; a job whose lease ended in the rolled-back
   * transaction is ready again, so its queue is read from the start.
   */
  recall(): void {
    for (const queue of this.#queues.values()) {
      queue.buffer = []
      queue.cursor = 0
    }
    for (const { lane, tenant } of this.#sql.queues.all()) this.#ready(lane as Lane, tenant as TenantId)
    for (const { gate } of this.#sql.gates.all()) this.#gates.add(String(gate))
    this.#lookForDue()
  }

  /** How often a job became ready. */
  readied(): number {
    return this.#readied
  }

  /** When the next delayed job is due; infinity if there is none. */
  nextDue(): number {
    return this.#nextDue
  }

  /** Replaces the job of the message, due at `dueAt` or at once. */
  replace(n: number, lane: Lane, tenant: TenantId, dueAt: number | null, gate: string | null = null): void {
    this.#lastLeaseToken += 1
    const delayed = dueAt !== null && dueAt > this.#clock()
    this.#sql.replace.run(n, lane, tenant, this.#lastLeaseToken, delayed ? dueAt : null, gate)
    if (delayed) this.#nextDue = Math.min(this.#nextDue, dueAt)
    else this.#ready(lane, tenant)
    if (delayed && gate !== null) this.#gates.add(gate)
  }

  /** Makes due jobs ready. */
  promote(): void {
    for (const row of this.#sql.due.all(this.#clock(), PROMOTE)) this.#makeReady(row)
    this.#lookForDue()
  }

  take(max: number): readonly TakenRow[] {
    const now = this.#clock()
    this.#reclaim(now)
    const taken: TakenRow[] = []
    while (taken.length < max) {
      const turn = this.#turns.next()
      if (turn === undefined) break
      const queue = this.#queueOf(turn.lane, turn.tenantId)
      const job = queue.buffer.pop() ?? this.#fill(queue)
      if (job === undefined) {
        this.#turns.remove(queue.lane, queue.tenant)
        continue
      }
      this.#leases.set(job.leaseToken, { job, queue, until: now + LEASE_MS })
      taken.push([job.id, queue.tenant, queue.lane, job.leaseToken, job.gate])
    }
    return taken
  }

  done(n: number, leaseToken: number): void {
    this.#leases.delete(leaseToken)
    this.#sql.remove.run(n, leaseToken)
  }

  /** With a gate the job is parked there. */
  release(
    n: number,
    leaseToken: number,
    lane: Lane,
    tenant: TenantId,
    dueAt: number,
    gate: string | null = null,
  ): void {
    this.#leases.delete(leaseToken)
    if (this.#sql.has.get(n, leaseToken) !== undefined) this.replace(n, lane, tenant, dueAt, gate)
  }

  unpark(which: Parked, max: number): number {
    let count = 0
    for (const lane of LANES) {
      const left = max - count
      if (left <= 0) break
      const rows =
        'provider' in which
          ? this.#parkedFor(which.provider, lane, left)
          : this.#sql.parkedOf.all(which.tenantId, lane, left)
      for (const row of rows) this.#makeReady(row)
      count += rows.length
    }
    return count
  }

  /** Returns whether the message had none. */
  put(n: number, lane: Lane, tenant: TenantId, dueAt: number | null): boolean {
    const isMissing = this.#sql.any.get(n) === undefined
    if (isMissing) this.replace(n, lane, tenant, dueAt)
    return isMissing
  }

  depth(): readonly Depth[] {
    const rows = new Map(this.#sql.depth.all().map((row) => [row['lane'], row]))
    return LANES.map((lane) => {
      const taken = this.#leases.values().reduce((sum, { queue }) => sum + (queue.lane === lane ? 1 : 0), 0)
      const { ready = 0, waiting = 0, parked = 0 } = rows.get(lane) ?? {}
      const delayed = Number(waiting) - Number(parked)
      return { lane, ready: Math.max(Number(ready) - taken, 0), delayed, parked: Number(parked), taken }
    })
  }

  /** Across all gates with this provider, the longest parked first. Drops gates that turn out to be empty. */
  #parkedFor(provider: ProviderName, lane: Lane, max: number): Row[] {
    const rows: Row[] = []
    for (const gate of this.#gates) {
      if (!gate.split(' ').includes(provider)) continue
      const found = this.#sql.parkedAt.all(gate, lane, max)
      if (found.length === 0 && this.#sql.anyAt.get(gate) === undefined) this.#gates.delete(gate)
      rows.push(...found)
    }
    return rows.toSorted((one, other) => Number(one['lease_token']) - Number(other['lease_token'])).slice(0, max)
  }

  /** Makes a delayed or parked job ready. */
  #makeReady({ n, lane, tenant, gate }: Row): void {
    this.replace(Number(n), lane as Lane, tenant as TenantId, null, typeof gate === 'string' ? gate : null)
  }

  #ready(lane: Lane, tenant: TenantId): void {
    this.#turns.add(lane, tenant)
    this.#readied += 1
  }

  #queueOf(lane: Lane, tenant: TenantId): TenantQueue {
    const name = `${lane} ${tenant}`
    const queue = this.#queues.get(name) ?? { lane, tenant, buffer: [], cursor: 0 }
    this.#queues.set(name, queue)
    return queue
  }

  /** Fills the buffer from the table, skipping leased jobs, and takes the first one. */
  #fill(queue: TenantQueue): Ready | undefined {
    for (;;) {
      const rows = this.#sql.fill.all(queue.lane, queue.tenant, queue.cursor, BUFFER)
      const jobs = rows.map(toReady)
      queue.cursor = jobs.at(-1)?.leaseToken ?? queue.cursor
      queue.buffer = jobs.filter(({ leaseToken }) => !this.#leases.has(leaseToken)).reverse()
      if (queue.buffer.length > 0 || rows.length < BUFFER) return queue.buffer.pop()
    }
  }

  /** A job whose lease expired goes back to the head of its queue. */
  #reclaim(now: number): void {
    for (const [leaseToken, { job, queue, until }] of this.#leases) {
      if (until > now) return
      this.#leases.delete(leaseToken)
      queue.buffer.push(job)
      this.#ready(queue.lane, queue.tenant)
    }
  }

  #lookForDue(): void {
    this.#nextDue = Number(this.#sql.nextDue.get()?.['due_at'] ?? Number.POSITIVE_INFINITY)
  }
}

type Row = Readonly<Record<string, unknown>>

const toReady = ({ n, id, lease_token: leaseToken, gate }: Row): Ready => ({
  n: Number(n),
  id: toUuid(id),
  leaseToken: Number(leaseToken),
  gate: typeof gate === 'string' ? gate : null,
})

const PARKED = 'gate is not null and due_at is not null'

function prepare(db: DatabaseSync) {
  return {
    lastLeaseToken: db.prepare('select max(lease_token) as lease_token from jobs'),
    queues: db.prepare('select lane, tenant from jobs where due_at is null group by lane, tenant'),
    nextDue: db.prepare('select min(due_at) as due_at from jobs where due_at is not null'),
    fill: db.prepare(`
      select jobs.n, lease_token, lower(hex(id)) as id, gate from jobs join messages using (n)
      where lane = ? and tenant = ? and lease_token > ? and due_at is null order by lease_token limit ?
    `),
    replace: db.prepare(`
      insert into jobs (n, lane, tenant, lease_token, due_at, gate) values (?, ?, ?, ?, ?, ?)
      on conflict (n) do update set lease_token = excluded.lease_token, due_at = excluded.due_at, gate = excluded.gate
    `),
    due: db.prepare('select n, lane, tenant, gate from jobs where due_at <= ? order by due_at limit ?'),
    gates: db.prepare(`select distinct gate from jobs where ${PARKED}`),
    anyAt: db.prepare(`select 1 from jobs where gate = ? and ${PARKED} limit 1`),
    parkedAt: db.prepare(`
      select n, lane, tenant, gate, lease_token from jobs where gate = ? and lane = ? and ${PARKED} order by lease_token limit ?
    `),
    parkedOf: db.prepare(`
      select n, lane, tenant, gate from jobs where tenant = ? and lane = ? and ${PARKED} order by lease_token limit ?
    `),
    remove: db.prepare('delete from jobs where n = ? and lease_token = ?'),
    has: db.prepare('select 1 from jobs where n = ? and lease_token = ?'),
    any: db.prepare('select 1 from jobs where n = ?'),
    depth: db.prepare(`
      select lane, count(*) filter (where due_at is null) as ready, count(due_at) as waiting,
        count(*) filter (where ${PARKED}) as parked
      from jobs group by lane
    `),
  }
}
