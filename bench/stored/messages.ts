/**
 * The messages that a data folder is filled with: short SMS of a few tenants, evenly spread over the last 30 days. Almost
 * all are delivered; some failed, are dead letters, or ended with an unknown outcome. The nth message is the same in
 * every run.
 */
import type { AccountId, ProviderName, RouteId, TenantId } from '../../src/domain/ids.ts'
import type { Fact } from '../../src/domain/message/events.ts'
import type { Lane, SmsContent } from '../../src/domain/message/message.ts'
import type { PhoneNumber } from '../../src/domain/message/phone-number.ts'
import { openIds } from '../../src/engines/crypto/ids.ts'
import type { Submission } from '../../src/flows/send/accept.ts'
import { type Instant, later, millis, seconds } from '../../src/lib/time.ts'
import type { Ids } from '../../src/ports/world.ts'
import { TEXT } from '../messages.ts'
import type { Happened, Past } from './past.ts'

const DAY = seconds(24 * 60 * 60)
const DAYS = 30
/** Seven in ten messages belong to the tenant whose token the gateway prints. */
const TENANTS = [...new Array<string>(7).fill('demo'), 'north', 'south', 'west'] as TenantId[]
const PER_RECIPIENT = 10
const ACCOUNT = 'default' as AccountId
const FORM = { segments: 1, encoding: 'gsm7' } as const

/** How many messages, and when the last one was created. */
export type Corpus = Readonly<{ messages: number; until: Instant }>

/** The first is number 0. */
export const createdAt = ({ messages, until }: Corpus, n: number): Instant =>
  later(until, millis(-((messages - n) * DAYS * DAY) / messages))

export const recipientOf = ({ messages }: Corpus, n: number): PhoneNumber =>
  `+5511${900_000_000 + (n % Math.ceil(messages / PER_RECIPIENT))}` as PhoneNumber

const laneOf = (n: number): Lane => (n % 20 === 1 ? 'otp' : n % 20 === 2 ? 'bulk' : 'transactional')

/** One in fifty has a tag and metadata, one in five thousand a second tag. */
function contentOf(corpus: Corpus, n: number): SmsContent {
  const isTagged = n % 50 === 0
  const tags = n % 5_000 === 0 ? ['campaign', 'rare'] : isTagged ? ['campaign'] : []
  const metadata: Readonly<Record<string, string>> = isTagged ? { order: `A-${n}` } : {}
  return { channel: 'sms', kind: 'sms', to: recipientOf(corpus, n), body: TEXT, metadata, tags }
}

/** A new idempotency key for each. */
export const submissionOf = (corpus: Corpus, n: number, ids: Pick<Ids, 'traceId'>): Submission => ({
  tenantId: TENANTS[n % TENANTS.length] ?? ('demo' as TenantId),
  accountId: ACCOUNT,
  lane: laneOf(n),
  content: contentOf(corpus, n),
  form: FORM,
  idempotencyKey: `stored-${n}`,
  traceId: ids.traceId(),
})

/** All of them, oldest first. */
export function* pastOf(corpus: Corpus): Generator<Past> {
  for (let n = 0; n < corpus.messages; n += 1) {
    yield { createdAt: createdAt(corpus, n), submission: submissionOf(corpus, n, ids), happened: factsOf(corpus, n) }
  }
}

const ids = openIds()

const [CALLED, ANSWERED, REPORTED] = [millis(4), millis(11), millis(2_300)]
/** As long as the simulator's. */
export const providerMessageIdOf = (n: number): string => `SIM${n.toString(16).padStart(24, '0')}`
const FAILED = { code: 'INVALID_NUMBER', detail: 'The number is not in service' }
const DEAD = { code: 'CARRIER_BLOCKED', detail: 'The carrier rejects the sender' }
const UNKNOWN = { code: 'TIMEOUT', detail: 'The provider did not answer' }

/** What happened after the creation. */
export function factsOf(corpus: Corpus, n: number): readonly Happened[] {
  const provider = (n % 100 === 3 ? 'second' : 'simulator') as ProviderName
  const kind = 'HandoffAttempted'
  const attempted: Fact = { kind, provider, routeId: 'default' as RouteId, owner: '1c9bb6ee5b3d1f0a' }
  return [{ fact: attempted, after: CALLED }, ...endOf(corpus, n)]
}

/** One in 200 failed, one in 1,000 is a dead letter, and one in 5,000 is one with an unknown outcome. */
function endOf(corpus: Corpus, n: number): readonly Happened[] {
  if (n % 5_000 === 4) {
    const reconcileAt = later(createdAt(corpus, n), REPORTED)
    return [
      { fact: { kind: 'HandoffUnknown', reconcileAt, ...UNKNOWN }, after: ANSWERED },
      { fact: { kind: 'DeadLettered', outcome: 'unknown', ...UNKNOWN }, after: REPORTED },
    ]
  }
  if (n % 1_000 === 6) return [{ fact: { kind: 'DeadLettered', ...DEAD }, after: ANSWERED }]
  if (n % 200 === 5) return [{ fact: { kind: 'HandoffFailed', ...FAILED }, after: ANSWERED }]
  const providerMessageId = providerMessageIdOf(n)
  const reportId = `${providerMessageId}:delivered`
  return [
    { fact: { kind: 'HandoffAccepted', providerMessageId, by: 'answer' }, after: ANSWERED },
    { fact: { kind: 'ProviderDelivered', reportId, providerMessageId }, after: REPORTED },
  ]
}
