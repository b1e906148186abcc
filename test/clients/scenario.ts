/** What a scenario must have seen, whatever its language. */
import assert from 'node:assert/strict'

type ErrorSeen = Readonly<{
  name: string
  code?: string
  status?: number
  details?: readonly Readonly<{ path: string }>[]
  hasId?: boolean
  idempotencyKey?: string
  lastSeen?: string
}>

export type Summary = Readonly<{
  sending: object
  retrying: object
  repeating: Readonly<{ ended: ErrorSeen; resent: ErrorSeen; cycle: number }>
  reading: object
  webhooks: Readonly<Record<string, unknown>>
  errors: Readonly<Record<'invalid' | 'unknown' | 'key' | 'unreachable', ErrorSeen>> & Readonly<{ traversal: string }>
  limits: object
  codes: object
  long: object
}>

/** As `WebhookMessage` is described in clients/generate/event-types.ts. */
const WEBHOOK_FIELDS = [
  'attempts',
  'channel',
  'created_at',
  'cycle',
  'error_code',
  'error_detail',
  'message_id',
  'metadata',
  'occurred_at',
  'previous_status',
  'provider',
  'provider_message_id',
  'segments',
  'status',
  'tags',
  'to',
  'type',
]

export function checkSummary({ sending, retrying, repeating, reading, webhooks, errors, ...others }: Summary): void {
  assert.deepEqual(sending, { accepted: 'accepted', segments: 1, status: 'delivered', to: '+*******0001' })
  assert.deepEqual(retrying, { messages: 1, isSame: true }, 'a retried send must not make a second message')
  assert.deepEqual(reading, { missed: 0, cuts: 3, listed: 250, pages: 3, total: 250, resumesAt: 'string' })
  assert.deepEqual(others.limits, { code: 'RATE_LIMITED', asked: true, status: 'accepted', waited: true })
  assert.deepEqual(others.codes, { wrong: false, right: true })
  assert.deepEqual(others.long, { isJson: true, hasMany: true, text: 'Hi Ana', status: 'live' })
  const { forged, old, ...verified } = webhooks
  assert.deepEqual([forged, old], ['WebhookVerificationError', 'WebhookVerificationError'])
  assert.deepEqual(verified, {
    type: 'message.delivered',
    isOurs: true,
    order: '1138',
    fields: WEBHOOK_FIELDS,
    isSameId: true,
    rotated: 3,
  })
  assert.deepEqual(codeOf(repeating.ended), ['WaitError', 'MESSAGE_ENDED', undefined])
  assert.equal(repeating.ended.lastSeen, 'failed')
  assert.deepEqual(codeOf(repeating.resent), ['PomboError', 'CONNECTION_FAILED', undefined])
  assert.equal(repeating.cycle, 2, 'a resend must not be repeated')
  checkErrors(errors)
}

function checkErrors({ invalid, unknown, key, unreachable, traversal }: Summary['errors']): void {
  assert.deepEqual(codeOf(invalid), ['PomboError', 'VALIDATION_ERROR', 400])
  assert.deepEqual([invalid.details?.[0]?.path, invalid.hasId], ['/to', true])
  assert.deepEqual(codeOf(unknown), ['PomboError', 'NOT_FOUND', 404])
  assert.deepEqual(codeOf(key), ['PomboError', 'UNAUTHENTICATED', 401])
  assert.deepEqual(codeOf(unreachable), ['PomboError', 'CONNECTION_FAILED', undefined])
  assert.equal(unreachable.idempotencyKey, 'mine')
  assert.match(traversal, /^(?:Type|Value)Error$/)
}

const codeOf = ({ name, code, status }: ErrorSeen): readonly unknown[] => [name, code, status]
