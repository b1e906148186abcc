/** What the outside wants in one schedule: messages sent, some twice or with a changed mind, some resent, some erased. */
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
import type { Cluster } from './cluster.ts'
import { PREFIXES } from './landscape.ts'
import { insist } from './outside.ts'
import type { Simulation } from './simulation.ts'

export type Answer = Readonly<{ key: string; body: string; accepted: Accepted }>

/** What we answered to whom: what we are held to. */
export type Promises = Readonly<{
  answers: Answer[]
  told: Receipt[]
  resent: { id: MessageId; cycle: number }[]
  erased: Set<MessageId>
}>

export const TENANTS = ['north', 'south'] as readonly string[] as readonly TenantId[]

type Wish = Omit<Submission, 'traceId' | 'idempotencyKey' | 'content'> &
  Readonly<{ idempotencyKey: string; content: SmsContent }>

const A_WHILE_MS = 60_000

export class Story {
  readonly promises: Promises = { answers: [], told: [], resent: [], erased: new Set() }
  readonly #sim: Simulation
  readonly #cluster: Cluster
  readonly #wishes: readonly Wish[]

  constructor(sim: Simulation, cluster: Cluster) {
    this.#sim = sim
    this.#cluster = cluster
    this.#wishes = Array.from({ length: sim.chance.between(2, 5) }, (_, place) => toWish(sim, `key-${place + 1}`))
  }

  begin(): void {
    for (const wish of this.#wishes) this.#tell(wish)
  }

  /** Once more, when nobody remembers the first time. */
  submitAgain(): void {
    this.#submit(this.#sim.chance.pick(this.#wishes))
  }

  /** A provider reports until it is heard. */
  report(receipt: Receipt): void {
    const { ref, state } = receipt
    insist(this.#sim, this.#cluster, {
      name: `receipt ${ref.messageId.slice(0, 4)}/${ref.attempt} ${state}`,
      ask: (deps) => applyReceipt(deps, receipt),
      answered: (settled) => {
        if (settled === 'unmatched') this.#sim.violated(`a receipt for ${ref.messageId} found no message`)
        this.promises.told.push(receipt)
      },
    })
  }

  #tell(wish: Wish): void {
    const { chance, tally } = this.#sim
    const start = chance.between(0, A_WHILE_MS)
    this.#after(start, () => this.#submit(wish))
    if (chance.happens(0.3)) {
      tally.count('key raced')
      this.#after(start + chance.between(0, 5), () => this.#submit(wish))
    }
    if (chance.happens(0.2)) this.#after(start + chance.between(0, 2 * A_WHILE_MS), () => this.#submit(wish))
    if (chance.happens(0.2)) {
      tally.count('key with another payload')
      const other = { ...wish, content: { ...wish.content, body: `not ${wish.content.body}` } }
      this.#after(start + chance.between(0, A_WHILE_MS), () => this.#submit(other))
    }
    for (const wait of [A_WHILE_MS, 2 * A_WHILE_MS]) {
      if (chance.happens(0.2)) this.#after(start + chance.between(0, wait), () => this.#resend(wish))
    }
    if (chance.happens(0.15)) this.#after(start + chance.between(0, 2 * A_WHILE_MS), () => this.#erase(wish))
    if (chance.happens(0.3)) this.#after(start + chance.between(0, 2 * A_WHILE_MS), () => this.#resolve(wish))
    if (chance.happens(0.1)) this.#after(start + chance.between(0, A_WHILE_MS), () => this.#invent(wish))
  }

  #after(waitMs: number, act: () => void): void {
    this.#sim.outstanding += 1
    this.#sim.agenda.after(waitMs, () => {
      this.#sim.outstanding -= 1
      act()
    })
  }

  #submit(wish: Wish): void {
    const { idempotencyKey: key, content } = wish
    insist(this.#sim, this.#cluster, {
      name: `submit ${key}`,
      ask: (deps) => accept(deps, { ...wish, traceId: deps.ids.traceId() }),
      answered: (accepted) => {
        if (accepted.replayed) this.#sim.tally.count('replayed answer')
        this.promises.answers.push({ key, body: content.body, accepted })
      },
      refused: ({ code }) => {
        const isTooLate = code === 'VALIDATION_ERROR' && (content.expiresAt ?? Infinity) <= this.#sim.agenda.now
        if (code !== 'IDEMPOTENCY_MISMATCH' && !isTooLate) this.#sim.violated(`${key} was refused: ${code}`)
      },
      onRetry: () => this.#sim.tally.count('key retried'),
    })
  }

  #resend({ tenantId, idempotencyKey: key }: Wish): void {
    const id = this.#idOf(key)
    const by = this.#sim.chance.pick(['resend', 'replay'] as const)
    if (id === undefined) return
    insist(this.#sim, this.#cluster, {
      name: `resend ${key}`,
      ask: (deps) => resend(deps, { tenantId, id, by, traceId: deps.ids.traceId() }),
      answered: ({ cycle }) => {
        this.#sim.tally.count('resent')
        this.promises.resent.push({ id, cycle })
      },
      refused: ({ code }) => {
        if (code !== 'CONFLICT') this.#sim.violated(`resending ${key} was refused: ${code}`)
      },
    })
  }

  #erase({ tenantId, idempotencyKey: key }: Wish): void {
    const id = this.#idOf(key)
    if (id === undefined) return
    insist(this.#sim, this.#cluster, {
      name: `erase ${key}`,
      ask: (deps) => erase(deps, { tenantId, id, traceId: deps.ids.traceId() }),
      answered: () => {
        this.#sim.tally.count('erased')
        this.promises.erased.add(id)
      },
      refused: ({ code }) => this.#sim.violated(`erasing ${key} was refused: ${code}`),
    })
  }

  /** A person decides on an unknown outcome, by what he believes. */
  #resolve({ tenantId, accountId, idempotencyKey: key }: Wish): void {
    const id = this.#idOf(key)
    const as = this.#sim.chance.pick(RESOLUTIONS)
    if (id === undefined) return
    insist(this.#sim, this.#cluster, {
      name: `resolve ${key} as ${as}`,
      ask: (deps) => resolveUnknown(deps, { tenantId, accountId, id, as, traceId: deps.ids.traceId() }),
      answered: () => this.#sim.tally.count('resolved by a person'),
      refused: ({ code }) => {
        if (code !== 'CONFLICT') this.#sim.violated(`resolving ${key} was refused: ${code}`)
      },
    })
  }

  /** Somebody reports on an attempt that nobody made. */
  #invent({ idempotencyKey: key }: Wish): void {
    const messageId = this.#idOf(key)
    if (messageId === undefined) return
    const ref = { messageId, cycle: this.#sim.chance.between(1, 3), attempt: 1_000 }
    const receipt: Receipt = { ref, providerMessageId: 'invented', state: 'delivered', reportId: 'invented' }
    insist(this.#sim, this.#cluster, {
      name: `invented receipt for ${key}`,
      ask: (deps) => applyReceipt(deps, receipt),
      answered: (settled) => {
        this.#sim.tally.count('report on an attempt never made')
        if (settled !== 'unmatched') this.#sim.violated(`a report on an attempt that ${key} never made is believed`)
      },
    })
  }

  #idOf(key: string): MessageId | undefined {
    return this.promises.answers.find((answer) => answer.key === key)?.accepted.id
  }
}

function toWish({ agenda, chance }: Simulation, key: string): Wish {
  const body = `the text of ${key}`
  const content: SmsContent = {
    channel: 'sms',
    kind: 'sms',
    to: `${chance.pick(PREFIXES)}55501${chance.between(10, 99)}` as PhoneNumber,
    body,
    metadata: { order: key },
    tags: [key],
    ...deadline(agenda.now, chance.pick([0, 0, 0, 90, 600])),
  }
  return {
    tenantId: chance.pick(TENANTS),
    accountId: 'shop' as AccountId,
    lane: chance.pick(LANES),
    content,
    form: toSegmentation(body),
    idempotencyKey: key,
  }
}

const deadline = (now: Instant, inSeconds: number): Pick<SmsContent, 'expiresAt'> =>
  inSeconds === 0 ? {} : { expiresAt: later(now, seconds(inSeconds)) }
