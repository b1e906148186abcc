/**
 * S1-P11: "the classification as transient or permanent SHALL be deterministic and consistent. Transient errors
 * (timeout, 429, 5xx) trigger retry; permanent errors (invalid number, blocked) do not." Every code of every provider's
 * table has its class here, so that flipping one fails.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../test/memory/memory.ts'
import type { SendOutcome } from '../domain/message/outcome.ts'
import { openIds } from '../engines/crypto/ids.ts'
import { fakeProvider, openGateway } from '../flows/gateway.fixture.ts'
import { millis } from '../lib/time.ts'
import { MESSAGEBIRD_ERRORS } from './messagebird/errors.ts'
import { byHttpStatus, type ProviderError } from './provider-errors.ts'
import { SES_ERRORS } from './ses/errors.ts'
import { SMPP_ERRORS } from './smpp/errors.ts'
import { BY_ENHANCED, DEFERRALS_BY_ENHANCED } from './smtp/errors.ts'
import { TWILIO_ERRORS } from './twilio/errors.ts'

const TABLES: Readonly<Record<string, ReadonlyMap<number | string, ProviderError>>> = {
  MessageBird: MESSAGEBIRD_ERRORS,
  SES: SES_ERRORS,
  SMPP: SMPP_ERRORS,
  SMTP: new Map([...BY_ENHANCED, ...DEFERRALS_BY_ENHANCED]),
  Twilio: TWILIO_ERRORS,
}

/** The design's own lists, in capitals; it also lists `connection_error` and `timeout`, which are not answers. */
const DESIGN = {
  transient: ['RATE_LIMITED', 'SERVICE_UNAVAILABLE', 'INTERNAL_ERROR'],
  permanent: ['INVALID_NUMBER', 'NUMBER_BLOCKED', 'MESSAGE_REJECTED', 'INSUFFICIENT_FUNDS', 'INVALID_SENDER_ID'],
}

/** All others of our tables. */
const TRANSIENT = [
  ...['ALREADY_BOUND', 'BIND_FAILED', 'MAILBOX_FULL', 'NOT_BOUND', 'QUERY_FAILED', 'QUIET_HOURS', 'RECEIVER_ERROR'],
  ...['SES_ACCOUNT_SENDING_PAUSED', 'SES_ACCOUNT_SUSPENDED', 'SES_CLOCK_SKEWED'],
  ...['SES_CONFIGURATION_SET_SENDING_PAUSED', 'SES_DAILY_QUOTA_EXCEEDED', 'SES_MAX_SEND_RATE_EXCEEDED'],
  ...['SES_SERVICE_UNAVAILABLE', 'SES_THROTTLING', 'SUBMIT_FAILED', 'UNKNOWN_ERROR', 'UNREACHABLE'],
]
const PERMANENT = [
  ...['ACCOUNT_NOT_FOUND', 'ACCOUNT_SUSPENDED', 'AUTHENTICATION_FAILED', 'CARRIER_ERROR', 'DELIVERY_FAILED'],
  ...['ENDPOINT_NOT_FOUND', 'EXPIRED', 'FRAUD_BLOCKED', 'HARD_BOUNCE', 'INVALID_ADDRESS_TYPE', 'INVALID_DATA_CODING'],
  ...['INVALID_SENDER', 'INVALID_SERVICE_TYPE', 'MAILBOX_DISABLED', 'NOT_ALLOWED', 'NOT_ROUTABLE', 'OPTED_OUT'],
  ...['PROTOCOL_ERROR', 'QUOTA_EXCEEDED', 'REGION_NOT_ENABLED', 'RELAY_DENIED', 'SENDER_NOT_AUTHENTICATED'],
  ...['SES_CONFIGURATION_SET_DOES_NOT_EXIST', 'SES_IDENTITY_NOT_VERIFIED', 'SES_INVALID_PARAMETER'],
  ...['SES_MAIL_FROM_DOMAIN_NOT_VERIFIED', 'SES_MESSAGE_REJECTED', 'SES_TEMPLATE_DOES_NOT_EXIST', 'TOO_LARGE'],
  ...['TOO_MANY_RECIPIENTS', 'TRIAL_ACCOUNT'],
]
/** Codes of ours that stand for several of the providers', which have classes of their own. */
const BY_ORIGINAL: Readonly<Record<string, SendOutcome['kind']>> = {
  'SES NETWORK_ERROR Networking': 'unknown',
  'SES SES_TIMEOUT GatewayTimeout': 'unknown',
  'SES SES_TIMEOUT RequestAborted': 'unknown',
  'SES SES_TIMEOUT RequestTimeout': 'deferred',
  'SES SES_TIMEOUT Timeout': 'unknown',
  'SMPP QUEUE_FULL 20': 'deferred',
  'Twilio QUEUE_FULL 21611': 'rejected',
  'Twilio QUEUE_FULL 30001': 'deferred',
}

const KINDS = new Map<string, SendOutcome['kind']>([
  ...[...DESIGN.transient, ...TRANSIENT].map((code) => [code, 'deferred'] as const),
  ...[...DESIGN.permanent, ...PERMANENT].map((code) => [code, 'rejected'] as const),
])

const ENTRIES = Object.entries(TABLES).flatMap(([provider, table]) =>
  [...table].map(([original, error]) => ({ provider, original, error })),
)

test('S1-P11 every code of every provider is always transient or always permanent', () => {
  const seen = new Set<string>()
  for (const { provider, original, error } of ENTRIES) {
    const exact = `${provider} ${error.code} ${original}`
    const expected = BY_ORIGINAL[exact] ?? KINDS.get(error.code)
    assert.equal(error.kind, expected, exact)
    seen.add(exact in BY_ORIGINAL ? exact : error.code)
  }
  assert.deepEqual(seen, new Set([...KINDS.keys(), ...Object.keys(BY_ORIGINAL)]))
})

test('S1-P11 429 and 5xx are transient, unless a proxy cannot say what became of the call', () => {
  const kindsOf = (...statuses: readonly number[]) => new Set(statuses.map((status) => byHttpStatus(status).kind))
  const open = [504, 520, 524, 598, 599]
  const failing = Array.from({ length: 100 }, (_, nth) => 500 + nth).filter((status) => !open.includes(status))
  assert.deepEqual(kindsOf(429, ...failing), new Set(['deferred']))
  assert.deepEqual(kindsOf(...open), new Set(['unknown']))
  assert.deepEqual(kindsOf(400, 401, 402, 403, 404, 409, 410, 413, 422), new Set(['rejected']))
})

test('S1-P11 transient errors trigger a retry, permanent errors do not, whatever the code', async () => {
  const world = { openEngine: openMemoryEngine, ids: openIds() }
  for (const { provider, error } of ENTRIES) {
    const outcome: SendOutcome = error.kind === 'deferred' ? { ...error, retryAfter: millis(0) } : error
    const gateway = openGateway(world, { providers: [fakeProvider([outcome])] })
    const id = await gateway.submit()
    await gateway.work()
    const last = (await gateway.kindsOf(id)).at(-1)
    assert.equal(last, FACTS[error.kind], `${provider} ${error.code}`)
  }
})

const FACTS = { deferred: 'RetryScheduled', rejected: 'HandoffFailed', unknown: 'HandoffUnknown' } as const
