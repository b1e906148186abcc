import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import { openMemoryEngine } from '../../test/memory/memory.ts'
import type { Fact } from '../domain/message/events.ts'
import { MAIL, type Message } from '../domain/message/message.ts'
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

/** The lines logged for a message with these facts. */
const linesOf = (level: string, ...facts: readonly Fact[]) => linesOfMessage(someMessage(), level, ...facts)

async function linesOfMessage(message: Message, level: string, ...facts: readonly Fact[]) {
  const { lines, logger } = keepLines(level)
  const { log: below } = openMemoryEngine({ clock: stopped })
  const log = observedLog(below, eventLogger(logger))
  let seen = await append(log, createdEntry(message))
  for (const fact of facts) seen = await append(log, nextEntry(seen, fact))
  return { lines, message }
}

test('logs one line per event with message, tenant, trace, attempt, status and error code', async () => {
  const { lines, message } = await linesOf('info', ATTEMPTED, DEAD)
  const [{ time: _, ...line } = {}, ...others] = lines
  assert.deepEqual(others, [])
  assert.deepEqual(line, {
    level: 40,
    trace_id: message.traceId,
    message_id: message.id,
    tenant_id: 'north',
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
  const { lines } = await linesOfMessage(mail, 'info', ATTEMPTED, retryAt(NOON))
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
