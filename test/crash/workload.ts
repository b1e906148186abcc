/** The client requests of one schedule: messages, some submitted twice or with another payload, some resent or erased. */
import type { AccountId, MessageId, TenantId } from '../../src/domain/ids.ts'
import { LANES, type SmsContent } from '../../src/domain/message/message.ts'
import type { PhoneNumber } from '../../src/domain/message/phone-number.ts'
import { toSegmentation } from '../../src/domain/message/segments.ts'
import { erase } from '../../src/flows/admin/erase.ts'
import { applyReceipt } from '../../src/flows/receive/apply-receipt.ts'
import { RESOLUTIONS, resolveUnknown } from '../../src/flows/receive/resolve-unknown.ts'
import { type Accepted, accept, type Submission } from '../../src/flows/send/accept.ts'
import { resend } from '../../src/flows/send/resend.ts'
import { type Instant, later, seconds } from '../../src/lib/time.ts'
import type { Receipt } from '../../src/ports/provider.ts'
import { callUntilAnswered } from './client-call.ts'
import type { Cluster } from './cluster.ts'
import { PREFIXES } from './scenario.ts'
import type { Simulation } from './simulation.ts'

export type Answer = Readonly<{ key: string; body: string; accepted: Accepted }>

/** What the gateway has acknowledged to clients and providers, and must therefore have stored. */
export type Acknowledged = Readonly<{
  answers: Answer[]
  receipts: Receipt[]
  resent: { id: MessageId; cycle: number }[]
  erased: Set<MessageId>
}>

export const TENANTS = ['north', 'south'] as readonly string[] as readonly TenantId[]

type ClientRequest = Omit<Submission, 'traceId' | 'idempotencyKey' | 'content'> &
  Readonly<{ idempotencyKey: string; content: SmsContent }>

const SPREAD_MS = 60_000

export class Workload {
  readonly acknowledged: Acknowledged = { answers: [], receipts: [], resent: [], erased: new Set() }
  readonly #sim: Simulation
  readonly #cluster: Cluster
  readonly #requests: readonly ClientRequest[]

  constructor(sim: Simulation, cluster: Cluster) {
    this.#sim = sim
    this.#cluster = cluster
    this.#requests = Array.from({ length: sim.random.integer(2, 5) }, (_, index) =>
      drawRequest(sim, `key-${index + 1}`),
    )
  }

  begin(): void {
    for (const request of this.#requests) this.#schedule(request)
  }

  /** Submits a key again after it has expired. */
  submitAgain(): void {
    this.#submit(this.#sim.random.pick(this.#requests))
  }

  /** A provider repeats a receipt until it is acknowledged. */
  report(receipt: Receipt): void {
    const { ref, state } = receipt
    callUntilAnswered(this.#sim, this.#cluster, {
      name: `receipt ${ref.messageId.slice(0, 4)}/${ref.attempt} ${state}`,
      ask: (deps) => applyReceipt(deps, receipt),
      answered: (result) => {
        if (result === 'unmatched') this.#sim.reportViolation(`a receipt for ${ref.messageId} found no message`)
        this.acknowledged.receipts.push(receipt)
      },
    })
  }

  #schedule(request: ClientRequest): void {
    const { random, counters } = this.#sim
    const start = random.integer(0, SPREAD_MS)
    this.#after(start, () => this.#submit(request))
    if (random.happens(0.3)) {
      counters.count('key raced')
      this.#after(start + random.integer(0, 5), () => this.#submit(request))
    }
    if (random.happens(0.2)) this.#after(start + random.integer(0, 2 * SPREAD_MS), () => this.#submit(request))
    if (random.happens(0.2)) {
      counters.count('key with another payload')
      const other = { ...request, content: { ...request.content, body: `not ${request.content.body}` } }
      this.#after(start + random.integer(0, SPREAD_MS), () => this.#submit(other))
    }
    for (const wait of [SPREAD_MS, 2 * SPREAD_MS]) {
      if (random.happens(0.2)) this.#after(start + random.integer(0, wait), () => this.#resend(request))
    }
    if (random.happens(0.15)) this.#after(start + random.integer(0, 2 * SPREAD_MS), () => this.#erase(request))
    if (random.happens(0.3)) this.#after(start + random.integer(0, 2 * SPREAD_MS), () => this.#resolve(request))
    if (random.happens(0.1))
      this.#after(start + random.integer(0, SPREAD_MS), () => this.#reportUnknownAttempt(request))
  }

  #after(waitMs: number, act: () => void): void {
    this.#sim.pending += 1
    this.#sim.scheduler.after(waitMs, () => {
      this.#sim.pending -= 1
      act()
    })
  }

  #submit(request: ClientRequest): void {
    const { idempotencyKey: key, content } = request
    callUntilAnswered(this.#sim, this.#cluster, {
      name: `submit ${key}`,
      ask: (deps) => accept(deps, { ...request, traceId: deps.ids.traceId() }),
      answered: (accepted) => {
        if (accepted.replayed) this.#sim.counters.count('replayed answer')
        this.acknowledged.answers.push({ key, body: content.body, accepted })
      },
      refused: ({ code }) => {
        const isTooLate = code === 'VALIDATION_ERROR' && (content.expiresAt ?? Infinity) <= this.#sim.scheduler.now
        if (code !== 'IDEMPOTENCY_MISMATCH' && !isTooLate) this.#sim.reportViolation(`${key} was refused: ${code}`)
      },
      onRetry: () => this.#sim.counters.count('key retried'),
    })
  }

  #resend({ tenantId, idempotencyKey: key }: ClientRequest): void {
    const id = this.#idOf(key)
    const by = this.#sim.random.pick(['resend', 'replay'] as const)
    if (id === undefined) return
    callUntilAnswered(this.#sim, this.#cluster, {
      name: `resend ${key}`,
      ask: (deps) => resend(deps, { tenantId, id, by, traceId: deps.ids.traceId() }),
      answered: ({ cycle }) => {
        this.#sim.counters.count('resent')
        this.acknowledged.resent.push({ id, cycle })
      },
      refused: ({ code }) => {
        if (code !== 'CONFLICT') this.#sim.reportViolation(`resending ${key} was refused: ${code}`)
      },
    })
  }

  #erase({ tenantId, idempotencyKey: key }: ClientRequest): void {
    const id = this.#idOf(key)
    if (id === undefined) return
    callUntilAnswered(this.#sim, this.#cluster, {
      name: `erase ${key}`,
      ask: (deps) => erase(deps, { tenantId, id, traceId: deps.ids.traceId() }),
      answered: () => {
        this.#sim.counters.count('erased')
        this.acknowledged.erased.add(id)
      },
      refused: ({ code }) => this.#sim.reportViolation(`erasing ${key} was refused: ${code}`),
    })
  }

  /** A person resolves an unknown outcome, rightly or wrongly. */
  #resolve({ tenantId, accountId, idempotencyKey: key }: ClientRequest): void {
    const id = this.#idOf(key)
    const as = this.#sim.random.pick(RESOLUTIONS)
    if (id === undefined) return
    callUntilAnswered(this.#sim, this.#cluster, {
      name: `resolve ${key} as ${as}`,
      ask: (deps) => resolveUnknown(deps, { tenantId, accountId, id, as, traceId: deps.ids.traceId() }),
      answered: () => this.#sim.counters.count('resolved by a person'),
      refused: ({ code }) => {
        if (code !== 'CONFLICT') this.#sim.reportViolation(`resolving ${key} was refused: ${code}`)
      },
    })
  }

  /** A receipt for an attempt that was never made. */
  #reportUnknownAttempt({ idempotencyKey: key }: ClientRequest): void {
    const messageId = this.#idOf(key)
    if (messageId === undefined) return
    const ref = { messageId, cycle: this.#sim.random.integer(1, 3), attempt: 1_000 }
    const receipt: Receipt = { ref, providerMessageId: 'invented', state: 'delivered', reportId: 'invented' }
    callUntilAnswered(this.#sim, this.#cluster, {
      name: `invented receipt for ${key}`,
      ask: (deps) => applyReceipt(deps, receipt),
      answered: (settled) => {
        this.#sim.counters.count('receipt for an unknown attempt')
        if (settled !== 'unmatched') this.#sim.reportViolation(`a receipt for an unknown attempt of ${key} was applied`)
      },
    })
  }

  #idOf(key: string): MessageId | undefined {
    return this.acknowledged.answers.find((answer) => answer.key === key)?.accepted.id
  }
}

function drawRequest({ scheduler, random }: Simulation, key: string): ClientRequest {
  const body = `the text of ${key}`
  const content: SmsContent = {
    channel: 'sms',
    kind: 'sms',
    to: `${random.pick(PREFIXES)}55501${random.integer(10, 99)}` as PhoneNumber,
    body,
    metadata: { order: key },
    tags: [key],
    ...deadline(scheduler.now, random.pick([0, 0, 0, 90, 600])),
  }
  return {
    tenantId: random.pick(TENANTS),
    accountId: 'shop' as AccountId,
    lane: random.pick(LANES),
    content,
    form: toSegmentation(body),
    idempotencyKey: key,
  }
}

const deadline = (now: Instant, inSeconds: number): Pick<SmsContent, 'expiresAt'> =>
  inSeconds === 0 ? {} : { expiresAt: later(now, seconds(inSeconds)) }
