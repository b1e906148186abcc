/**
 * Knows which tenants have used up a quota of messages. Accepting a message costs a look into memory; what tenants use is
 * measured in the background, of those that send. So a quota may be exceeded by what is accepted between two
 * measurements: a second apart, or a tenth of a second while a tenant may reach its quota. Where the engine knows the
 * number of waiting messages at all times, that quota is exact.
 */
import {
  CALM_RATIO,
  MESSAGE_QUOTAS,
  type MessageQuota,
  QUOTA_LEVELS,
  type QuotaLimits,
  type QuotaRatio,
  type QuotasOf,
  ratioOf,
} from '../domain/access/quotas.ts'
import { type QuotaUse, TENANT_ALERTS, type TenantAlertKind } from '../domain/alerts/alert.ts'
import type { TenantId } from '../domain/ids.ts'
import type { SendQuotas, UsedUp } from '../flows/access/quotas.ts'
import type { Clock } from '../lib/clock.ts'
import { type Instant, later, seconds } from '../lib/time.ts'
import type { MessageUsage, Usage } from '../ports/usage.ts'

export type QuotaWatchDeps = Readonly<{
  usage: Pick<Usage, 'measure' | 'waiting'>
  quotasOf: QuotasOf
  clock: Clock
  /** A tenant uses most of a quota, or all. Called once, unless it fails, until clearly less was used in between. */
  onReached: (reached: QuotaUse & Readonly<{ kind: TenantAlertKind }>) => Promise<void>
  onFault: (error: unknown) => void
}>

/** Measured this often while a tenant sends, and this often while it may reach a quota. */
const EVERY_MS = 1_000
const SOON_MS = 100
/** Measuring takes at most this share of the time. */
const SHARE = 0.1
/** An older measurement refuses nothing. */
const STALE_AFTER = seconds(10)
/** What is known about a tenant that sends nothing more is forgotten. */
const FORGOTTEN_AFTER = seconds(10 * 60)
/** A guess, which only decides how soon to measure again. */
const BYTES_PER_MESSAGE = 4 * 1024
/** So many tenants have their ratios measured and reported. */
const MOST_MEASURED = 100

/** What is known about a tenant that sends. */
type Known = {
  readonly tenantId: TenantId
  limits: QuotaLimits
  used: Readonly<Record<MessageQuota, number>>
  measuredAt: Instant | undefined
  calledAt: Instant
  /** Calls since the last measurement, and how many of them may lead to a quota. */
  calls: number
  room: number
  readonly told: Readonly<Record<TenantAlertKind, Set<MessageQuota>>>
}

const NOTHING = { waitingMessages: 0, storedBytes: 0 }

export class QuotaWatch implements SendQuotas, AsyncDisposable {
  readonly #deps: QuotaWatchDeps
  readonly #known = new Map<TenantId, Known>()
  #timer: NodeJS.Timeout | undefined
  /** When the timer fires, by the monotonic clock. */
  #dueAt = Number.POSITIVE_INFINITY
  #measuring: Promise<void> | undefined
  #restUntil = 0
  #isClosed = false

  constructor(deps: QuotaWatchDeps) {
    this.#deps = deps
  }

  usedUp(tenantId: TenantId): UsedUp | undefined {
    const { clock, usage } = this.#deps
    const now = clock()
    const known = this.#known.get(tenantId) ?? this.#begin(tenantId)
    known.calledAt = now
    known.calls += 1
    const isNear = known.calls >= known.room
    if (isNear || this.#dueAt === Number.POSITIVE_INFINITY) this.#plan(isNear ? SOON_MS : EVERY_MS)
    const waiting = usage.waiting?.(tenantId)
    if (waiting !== undefined && waiting >= known.limits.waitingMessages) {
      return { quota: 'waitingMessages', limit: known.limits.waitingMessages, used: waiting }
    }
    const isStale = known.measuredAt !== undefined && later(known.measuredAt, STALE_AFTER) < now
    if (isStale) return undefined
    return findUsedUp(known, waiting === undefined ? MESSAGE_QUOTAS : ['storedBytes'])
  }

  /** How much the tenants use that use most, as it is now. */
  async ratios(): Promise<readonly QuotaRatio[]> {
    const most = [...this.#known.values()].toSorted((one, other) => highest(other) - highest(one))
    await this.#measure(most.slice(0, MOST_MEASURED))
    return most
      .slice(0, MOST_MEASURED)
      .flatMap((known) =>
        MESSAGE_QUOTAS.map((quota) => ({ tenantId: known.tenantId, quota, ratio: ratio(known, quota) })),
      )
  }

  /** Measures every tenant that has sent since the last time. */
  async refresh(): Promise<void> {
    this.#forget()
    await this.#measure([...this.#known.values()].filter(({ calls }) => calls > 0))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#measuring
  }

  #begin(tenantId: TenantId): Known {
    const known: Known = {
      tenantId,
      limits: this.#deps.quotasOf(tenantId),
      used: NOTHING,
      measuredAt: undefined,
      calledAt: this.#deps.clock(),
      calls: 0,
      room: 0,
      told: { 'quota.warning': new Set(), 'quota.exceeded': new Set() },
    }
    this.#known.set(tenantId, known)
    return known
  }

  /** Measures within this time, unless that is planned already. */
  #plan(withinMs: number): void {
    const now = performance.now()
    const dueAt = Math.max(now + withinMs, this.#restUntil)
    if (this.#isClosed || this.#measuring !== undefined || this.#dueAt <= dueAt) return
    clearTimeout(this.#timer)
    this.#dueAt = dueAt
    this.#timer = setTimeout(() => this.#run(), dueAt - now).unref()
  }

  #run(): void {
    const startedAt = performance.now()
    this.#measuring = this.refresh()
      .catch(this.#deps.onFault)
      .finally(() => {
        const endedAt = performance.now()
        this.#measuring = undefined
        this.#dueAt = Number.POSITIVE_INFINITY
        this.#restUntil = endedAt + (endedAt - startedAt) / SHARE
        if (this.#known.values().some(({ calls }) => calls > 0)) this.#plan(EVERY_MS)
      })
  }

  async #measure(all: readonly Known[]): Promise<void> {
    if (all.length === 0) return
    const { usage, quotasOf, clock } = this.#deps
    for (const known of all) known.calls = 0
    const measured = await usage.measure(all.map(({ tenantId }) => tenantId))
    const now = clock()
    for (const known of all) {
      const { waiting, storedBytes }: MessageUsage = measured.get(known.tenantId) ?? {}
      known.limits = quotasOf(known.tenantId)
      known.used = {
        waitingMessages: waiting ?? known.used.waitingMessages,
        storedBytes: storedBytes ?? known.used.storedBytes,
      }
      if (waiting !== undefined || storedBytes !== undefined) known.measuredAt = now
      known.room = roomOf(known)
      for (const quota of MESSAGE_QUOTAS) for (const kind of TENANT_ALERTS) this.#tell(known, quota, kind)
    }
  }

  #tell(known: Known, quota: MessageQuota, kind: TenantAlertKind): void {
    const { tenantId, limits, used } = known
    const { onReached, onFault } = this.#deps
    const told = known.told[kind]
    const isOf = ratio(known, quota)
    if (isOf < CALM_RATIO) told.delete(quota)
    if (isOf < QUOTA_LEVELS[kind] || told.has(quota)) return
    told.add(quota)
    onReached({ kind, tenantId, quota, limit: limits[quota], used: used[quota] }).catch((error: unknown) => {
      told.delete(quota)
      onFault(error)
    })
  }

  #forget(): void {
    const now = this.#deps.clock()
    for (const [tenantId, { calledAt }] of this.#known) {
      if (later(calledAt, FORGOTTEN_AFTER) < now) this.#known.delete(tenantId)
    }
  }
}

function findUsedUp({ limits, used }: Known, quotas: readonly MessageQuota[]): UsedUp | undefined {
  const quota = quotas.find((one) => used[one] >= limits[one])
  return quota && { quota, limit: limits[quota], used: used[quota] }
}

const ratio = ({ used, limits }: Known, quota: MessageQuota): number => ratioOf(used[quota], limits[quota])

const highest = (known: Known): number => Math.max(...MESSAGE_QUOTAS.map((quota) => ratio(known, quota)))

/** How many more messages may be accepted before a quota can be reached. */
const roomOf = ({ used, limits }: Known): number =>
  Math.min(
    limits.waitingMessages - used.waitingMessages,
    Math.ceil((limits.storedBytes - used.storedBytes) / BYTES_PER_MESSAGE),
  )
