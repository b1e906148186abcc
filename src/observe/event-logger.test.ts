import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import { openMemoryEngine } from '../../test/memory/memory.ts'
import type { MessageId } from '../domain/ids.ts'
import type { Fact } from '../domain/message/events.ts'
import { MAIL, type Message } from '../domain/message/message.ts'
import { openIds } from '../engines/crypto/ids.ts'
import { observedLog } from '../engines/decorators/observed-log.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  append,
  createdEntry,
  DEAD,
  delivered,
  NOON,
  nextEntry,
  retryAt,
  someContent,
  someMessage,
  stopped,
  unknownUntil,
} from '../ports/samples.contract.ts'
import { eventLogger } from './event-logger.ts'

function keepLines(level: string) {
  const lines: Record<string, unknown>[] = []
  const logger = pino({ level, base: null }, { write: (line: string) => lines.push(JSON.parse(line)) })
  return { lines, logger }
}

const ids = openIds()

/** The lines logged for a message with these facts. */
const linesOf = (level: string, ...facts: readonly Fact[]) => linesOfMessage({ level }, ...facts)

type Wanted = Readonly<{ level: string; message?: Message; sampleOneIn?: number }>

async function linesOfMessage({ level, message = someMessage(), sampleOneIn = 0 }: Wanted, ...facts: readonly Fact[]) {
  const { lines, logger } = keepLines(level)
  const { log: below } = openMemoryEngine({ clock: stopped })
  const log = observedLog(below, eventLogger({ logger, ids, sampleOneIn }))
  let seen = await append(log, createdEntry(message))
  for (const fact of facts) seen = await append(log, nextEntry(seen, fact))
  return { lines, message }
}

test('logs one line per event with all ids, its position, the status and the error code', async () => {
  const { lines, message } = await linesOfMessage(
    { level: 'info', message: someMessage({ httpRequestId: 'checkout-1138' }) },
    ATTEMPTED,
    DEAD,
  )
  const [{ time: _, ...line } = {}, ...others] = lines
  assert.deepEqual(others, [])
  assert.deepEqual(line, {
    level: 40,
    trace_id: message.traceId,
    http_request_id: 'checkout-1138',
    tenant_id: 'north',
    message_id: message.id,
    attempt_id: ids.attemptId({ messageId: message.id, cycle: 1, attempt: 1 }),
    seq: 3,
    channel: 'sms',
    cycle: 1,
    attempt: 1,
    event: 'DeadLettered',
    status: 'failed',
    duration_ms: 2000,
    provider: 'acme',
    error_code: 'CARRIER_BLOCKED',
    msg: 'DeadLettered',
  })
})

test('adds the email state to a line about an email', async () => {
  const mail = someMessage({ channel: 'email', kind: 'email', ...MAIL })
  const { lines } = await linesOfMessage({ level: 'info', message: mail }, ATTEMPTED, retryAt(NOON))
  assert.deepEqual(
    lines.map(({ channel, state }) => [channel, state]),
    [['email', 'RETRY_SCHEDULED']],
  )
})

test('logs the normal life of a message at debug', async () => {
  const facts = [ATTEMPTED, ACCEPTED, delivered()]
  assert.deepEqual((await linesOf('info', ...facts)).lines, [])
  assert.deepEqual(
    (await linesOf('debug', ...facts)).lines.map(({ level, event }) => [level, event]),
    ['MessageCreated', 'HandoffAttempted', 'HandoffAccepted', 'ProviderDelivered'].map((event) => [20, event]),
  )
})

test('logs the attempt and the id of the provider from when they exist', async () => {
  const { lines } = await linesOf('debug', ATTEMPTED, ACCEPTED)
  assert.deepEqual(
    lines.map((line) => [line['seq'], 'attempt_id' in line, line['provider_message_id']]),
    [
      [1, false, undefined],
      [2, true, undefined],
      [3, true, 'SM1'],
    ],
  )
})

test('logs the whole life of sampled messages at info: the same messages in every process', async () => {
  const ended = (digits: string) => someMessage({ id: `0190f5fe-7c00-7a00-8000-0000${digits}` as MessageId })
  const levelsOf = async (message: Message, sampleOneIn: number) =>
    (await linesOfMessage({ level: 'info', message, sampleOneIn }, ATTEMPTED, ACCEPTED)).lines.length
  for (const [digits, oneIn, lines] of [
    ['00000010', 16, 3],
    ['00000011', 16, 0],
    ['00000011', 1, 3],
    ['00000000', 0, 0],
  ] as const) {
    assert.equal(await levelsOf(ended(digits), oneIn), lines, `${digits} of ${oneIn}`)
  }
})

test('logs retries, failures and resends at info or warn', async () => {
  const facts: Fact[] = [
    ATTEMPTED,
    retryAt(NOON),
    ATTEMPTED,
    unknownUntil(NOON),
    { kind: 'HandoffFailed', code: 'X', detail: 'x' },
    { kind: 'ResendRequested', by: 'resend' },
    { kind: 'ValidationFailed', code: 'X', detail: 'x' },
    { kind: 'MessageExpired' },
    { kind: 'ProviderBounced', reportId: 'b' },
    { kind: 'ProviderDropped', reportId: 'd' },
    { kind: 'ProviderComplaint', reportId: 'c' },
    { kind: 'ProviderTimedOut', reportId: 't' },
    { kind: 'MessageErased' },
  ]
  const { lines } = await linesOf('info', ...facts)
  assert.deepEqual(
    lines.map(({ level, event }) => `${level === 40 ? 'warn' : 'info'} ${event}`),
    [
      'info RetryScheduled',
      'warn HandoffUnknown',
      'warn HandoffFailed',
      'info ResendRequested',
      'warn ValidationFailed',
      'warn MessageExpired',
      'info ProviderBounced',
      'info ProviderDropped',
      'info ProviderComplaint',
      'warn ProviderTimedOut',
      'info MessageErased',
    ],
  )
})

test('never logs content, recipients, metadata or tags', async () => {
  const { lines } = await linesOf('trace', ATTEMPTED, unknownUntil(NOON), ACCEPTED, delivered(), {
    kind: 'MessageErased',
  })
  assert.equal(lines.length, 6)
  const { to, body, metadata, tags } = someContent()
  const text = JSON.stringify(lines)
  for (const secret of [to, to.slice(1), body, '4711', ...Object.values(metadata), ...tags]) {
    assert.ok(!text.includes(secret), secret)
  }
})
