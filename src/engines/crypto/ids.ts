/** Ids. Those that must be reproducible name what they identify, or are a hash of it. */
import { hash } from 'node:crypto'
import type { AuditId } from '../../domain/access/audit.ts'
import type { UserId } from '../../domain/access/user.ts'
import type { RecipientId } from '../../domain/directory/recipient.ts'
import {
  type AlertId,
  type AttemptId,
  type AttemptRef,
  type BatchId,
  type EndpointId,
  type ErasureId,
  type EventId,
  isHashed,
  type MessageId,
  type RouteId,
  type TraceId,
  type WebhookAttemptId,
} from '../../domain/ids.ts'
import type { Instant } from '../../lib/time.ts'
import { toUuid } from '../../lib/uuid-words.ts'
import type { Ids } from '../../ports/world.ts'
import { openRandom, type Random } from './random.ts'

/** How the events of new messages are named; earlier builds began messages with hashed ids. */
export type EventIdForm = 'readable' | 'hashed'

export function openIds(random: Random = openRandom(), form: EventIdForm = 'readable'): Ids {
  const uuid = openUuidV7(random)
  return {
    messageId: (at) => uuid(at) as MessageId,
    recipientId: (at) => uuid(at) as RecipientId,
    routeId: (at) => uuid(at) as RouteId,
    endpointId: (at) => uuid(at) as EndpointId,
    erasureId: (at) => uuid(at) as ErasureId,
    auditId: (at) => uuid(at) as AuditId,
    userId: (at) => uuid(at) as UserId,
    webhookAttemptId: (at) => uuid(at) as WebhookAttemptId,
    keyedMessageId: ({ tenantId, accountId, namespace, key, generation }) =>
      toUuidV8([tenantId, accountId, ...(namespace === 'otp' ? ['otp'] : []), key, generation]) as MessageId,
    keyedBatchId: ({ tenantId, accountId, keys }) =>
      toUuidV8(['batch', tenantId, accountId, JSON.stringify(keys)]) as BatchId,
    keyedErasureId: ({ tenantId, accountId, key }) => toUuidV8(['erasure', tenantId, accountId, key]) as ErasureId,
    alertId: ({ kind, subject, at }) => toUuidV8(['alert', kind, subject, at]) as AlertId,
    attemptId: ({ messageId, cycle, attempt }) => digest(messageId, cycle, attempt) as AttemptId,
    eventId: (ref, kind, distinction, after) =>
      (after === undefined ? form === 'hashed' : isHashed(after))
        ? hashedEventId(ref, kind, distinction)
        : readableEventId(ref, kind, distinction),
    traceId: () => nonZero(() => random.hex(16)) as TraceId,
    spanId: () => nonZero(() => random.hex(8)),
  }
}

type Parts = readonly (string | number)[]

/** JSON keeps the parts apart, so different lists never have the same encoding. */
const digest = (...parts: Parts): string => hash('sha256', JSON.stringify(parts))

/** Enough to tell the few reports on one attempt apart. */
const DISTINCTION_DIGITS = 16

/** A distinction may be any text of a provider, so the id contains only its hash. */
function readableEventId({ messageId, cycle, attempt }: AttemptRef, kind: string, distinction: string): EventId {
  const id = messageId + eventName(cycle, attempt, kind)
  return (distinction === '' ? id : `${id}.${digest(distinction).slice(0, DISTINCTION_DIGITS)}`) as EventId
}

/** The names of events in the first attempts, by kind: nearly all events have one of them. */
const FIRST_NAMES = new Map<string, string[]>()
const FIRST_ATTEMPTS = 5

function eventName(cycle: number, attempt: number, kind: string): string {
  if (cycle > 1 || attempt > FIRST_ATTEMPTS) return `.${cycle}.${attempt}.${kind}`
  const names = FIRST_NAMES.get(kind) ?? []
  if (names.length === 0) FIRST_NAMES.set(kind, names)
  const name = names[attempt] ?? `.${cycle}.${attempt}.${kind}`
  names[attempt] = name
  return name
}

const hashedEventId = ({ messageId, cycle, attempt }: AttemptRef, kind: string, distinction: string): EventId =>
  digest(messageId, cycle, attempt, kind, ...(distinction === '' ? [] : [distinction])) as EventId

/** The highest count in the twelve bits beside the millisecond, and the bits a first count may use. */
const LAST_COUNT = 0xfff
const FIRST_COUNTS = 0x7ff

/**
 * UUIDv7 of RFC 9562, each greater than the one before. Within one millisecond, or after the clock was set back,
 * `rand_a` counts up from a random start (method 1); when it is full, the millisecond is taken from the future.
 */
function openUuidV7(random: Random): (at: Instant) => string {
  let millisecond = -1
  let count = LAST_COUNT
  let prefix = ''

  function begin(at: number): void {
    millisecond = at
    count = Number.parseInt(random.hex(2), 16) & FIRST_COUNTS
    const digits = at.toString(16).padStart(12, '0')
    prefix = `${digits.slice(0, 8)}-${digits.slice(8)}-7`
  }

  return (at) => {
    if (at > millisecond) begin(at)
    else if (count === LAST_COUNT) begin(millisecond + 1)
    else count += 1
    const tail = random.hex(8)
    return `${prefix}${count.toString(16).padStart(3, '0')}-${toVariant(tail)}${tail.slice(1, 4)}-${tail.slice(4)}`
  }
}

/** The first 122 bits of the digest of the parts, around version 8 and the variant of RFC 9562. */
function toUuidV8(parts: Parts): string {
  const bytes = hash('sha256', JSON.stringify(parts), 'binary')
  const second = (wordAt(bytes, 4) & 0xffff_0fff) | 0x8000
  const third = (wordAt(bytes, 8) & 0x3fff_ffff) | 0x8000_0000
  return toUuid(wordAt(bytes, 0), second, third, wordAt(bytes, 12))
}

const wordAt = (bytes: string, at: number): number =>
  (bytes.charCodeAt(at) << 24) |
  (bytes.charCodeAt(at + 1) << 16) |
  (bytes.charCodeAt(at + 2) << 8) |
  bytes.charCodeAt(at + 3)

/** A first hexadecimal digit with its upper two bits set to the variant of RFC 9562, binary 10. */
const toVariant = (hex: string): string => (8 | (Number.parseInt(hex.charAt(0), 16) & 3)).toString(16)

/** W3C trace context treats an id of zeros as missing. */
function nonZero(draw: () => string): string {
  const drawn = draw()
  return /[^0]/.test(drawn) ? drawn : nonZero(draw)
}
