import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import type { Fact, MessageEvent } from '../domain/message/events.ts'
import { MAIL, type Message } from '../domain/message/message.ts'
import { openMemoryEngine } from '../engines/memory/memory.ts'
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
  VALIDATED,
} from '../ports/samples.contract.ts'
import { eventLogger, observedLog } from './observed-log.ts'

function keepLines(level: string) {
  const lines: Record<string, unknown>[] = []
  const logger = pino({ level, base: null }, { write: (line: string) => lines.push(JSON.parse(line)) })
  return { lines, logger }
}

test('every observer sees every event once it is written, and nothing of what was refused', async () => {
  const { log: below } = openMemoryEngine({ clock: stopped })
  const [one, other]: MessageEvent[][] = [[], []]
  const log = observedLog(
    below,
    (event) => one?.push(event),
    (event) => other?.push(event),
  )
  const created = await append(log, createdEntry())
  const attempted = await append(log, nextEntry(created, ATTEMPTED))
  assert.equal((await log.append(nextEntry(created, VALIDATED))).kind, 'conflict')
  assert.equal((await log.append(nextEntry(created, ATTEMPTED))).kind, 'duplicate')
  assert.deepEqual(one, [created.event, attempted.event])
  assert.deepEqual(other, one)
})

test('what could not be written is not seen', async () => {
  const { log: below } = openMemoryEngine({ clock: stopped })
  const broken = { ...below, append: async () => Promise.reject(new Error('no disk')) }
  const log = observedLog(broken, () => assert.fail('nothing was written'))
  await assert.rejects(log.append(createdEntry()), /no disk/)
})

/** The lines that a message leaves behind by these facts. */
const linesOf = (level: string, ...facts: readonly Fact[]) => linesOfMessage(someMessage(), level, ...facts)

async function linesOfMessage(message: Message, level: string, ...facts: readonly Fact[]) {
  const { lines, logger } = keepLines(level)
  const { log: below } = openMemoryEngine({ clock: stopped })
  const log = observedLog(below, eventLogger(logger))
  let seen = await append(log, createdEntry(message))
  for (const fact of facts) seen = await append(log, nextEntry(seen, fact))
  return { lines, message }
}

test('an event is one line that names message, tenant, trace, attempt, status and reason', async () => {
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

test('a line about a mail says what the mail has come to', async () => {
  const mail = someMessage({ channel: 'email', kind: 'email', ...MAIL })
  const { lines } = await linesOfMessage(mail, 'info', ATTEMPTED, retryAt(NOON))
  assert.deepEqual(
    lines.map(({ channel, state }) => [channel, state]),
    [['email', 'RETRY_SCHEDULED']],
  )
})

test('the ordinary course of a message is for those who debug', async () => {
  const facts = [ATTEMPTED, ACCEPTED, delivered()]
  assert.deepEqual((await linesOf('info', ...facts)).lines, [])
  assert.deepEqual(
    (await linesOf('debug', ...facts)).lines.map(({ level, event }) => [level, event]),
    ['MessageCreated', 'HandoffAttempted', 'HandoffAccepted', 'ProviderDelivered'].map((event) => [20, event]),
  )
})

test('what an operator wants to hear of is said louder', async () => {
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

test('nothing of what a message says or whom it is for is in its lines', async () => {
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
