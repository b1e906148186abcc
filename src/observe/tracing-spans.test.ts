/** Traces of messages in the real flows, as a collector receives them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openMemoryEngine } from '../../test/memory/memory.ts'
import type { MessageId, TraceId } from '../domain/ids.ts'
import type { SendOutcome } from '../domain/message/outcome.ts'
import { isHandoffOver } from '../domain/message/states.ts'
import { isExpired } from '../domain/message/step.ts'
import { attemptSpanOf } from '../domain/message/trace.ts'
import { erase } from '../flows/admin/erase.ts'
import {
  ACCEPTS,
  BLAMES_ITSELF,
  CONTENT,
  DEFERS,
  fakeProvider,
  fixed,
  type Gateway,
  OUTCOME_UNKNOWN,
  openGateway,
  REJECTS,
  receiptOf,
  START,
  TENANT,
  TRACE,
} from '../flows/gateway.fixture.ts'
import { applyReceipt } from '../flows/receive/apply-receipt.ts'
import { resend } from '../flows/send/resend.ts'
import { later, millis, seconds } from '../lib/time.ts'
import { ERROR, ids, outline, trace, valuesOf } from './tracing.fixture.ts'
import { openSpans } from './tracing-spans.ts'

const [UNSET, INTERNAL, CLIENT] = [0, 1, 3]
const OTHER_TRACE = 'ff'.repeat(16) as TraceId
const after = (ms: number): string => `${later(START, millis(ms))}000000`

/** Two attempts of 250 ms each, two seconds apart, and the receipt a second later. */
async function traceDelivery() {
  let gateway: Gateway
  const slowly = (answer: SendOutcome) => () => {
    gateway.pass(millis(250))
    return answer
  }
  return trace({ providers: [fakeProvider([slowly(DEFERS), slowly(ACCEPTS)])] }, async (opened) => {
    gateway = opened
    const id = await gateway.submit()
    await gateway.work()
    gateway.pass(seconds(2))
    await gateway.work()
    gateway.pass(seconds(1))
    await applyReceipt(gateway.deps, receiptOf(await gateway.stateOf(id), 'delivered', { detail: `to ${CONTENT.to}` }))
  })
}

test('a message is one trace: accept, its attempts, and their receipts', async () => {
  const { spans } = await traceDelivery()
  assert.deepEqual(outline(spans), [
    ['accept'],
    ['call one', 'attempt 1', 'BUSY'],
    ['attempt 1', 'accept', 'BUSY'],
    ['call one', 'attempt 2'],
    ['attempt 2', 'accept'],
    ['receipt', 'call one'],
  ])
  assert.deepEqual([...new Set(spans.map(({ traceId }) => traceId))], [TRACE])
  assert.deepEqual(
    spans.map(({ kind, status, startTimeUnixNano: start, endTimeUnixNano: end }) => [kind, status.code, start, end]),
    [
      [INTERNAL, UNSET, after(0), after(0)],
      [CLIENT, ERROR, after(0), after(250)],
      [INTERNAL, ERROR, after(0), after(250)],
      [CLIENT, UNSET, after(2250), after(2500)],
      [INTERNAL, UNSET, after(2250), after(2500)],
      [INTERNAL, UNSET, after(3500), after(3500)],
    ],
  )
})

test('a span has message, attempt and provider, and never recipient or content', async () => {
  const { spans, resources, requests } = await traceDelivery()
  const [, call, first] = spans
  assert(call && first)
  const { 'messaging.message.id': id, ...attributes } = valuesOf(first.attributes)
  assert.deepEqual(attributes, {
    'messaging.system': 'pombo',
    'messaging.operation.name': 'attempt',
    'pombo.message_id': id,
    'pombo.tenant_id': TENANT,
    'pombo.cycle': 1,
    'pombo.attempt': 1,
    'pombo.event': 'RetryScheduled',
    'pombo.status': 'sending',
    'pombo.provider': 'one',
    'pombo.error_code': 'BUSY',
  })
  const { 'pombo.attempt_id': attemptId, ...ofCall } = valuesOf(call.attributes)
  assert.equal(attemptId, ids.attemptId({ messageId: String(id) as MessageId, cycle: 1, attempt: 1 }))
  assert.deepEqual(ofCall, {
    'messaging.system': 'pombo',
    'messaging.message.id': id,
    'messaging.operation.name': 'call',
    'pombo.message_id': id,
    'pombo.tenant_id': TENANT,
    'pombo.channel': 'sms',
    'pombo.cycle': 1,
    'pombo.attempt': 1,
    'pombo.provider': 'one',
    'pombo.outcome': 'deferred',
    'pombo.error_code': 'BUSY',
  })
  assert.equal(resources[0]?.['service.name'], 'pombo')
  for (const { body } of requests) {
    assert(body.includes(String(id)))
    for (const secret of [CONTENT.to, CONTENT.body, 'parcel', 'A-17']) assert(!body.includes(secret))
  }
})

test('the span id of a call is derived from the attempt id: the provider gets it in traceparent', async () => {
  const one = fakeProvider([ACCEPTS])
  const { spans } = await trace({ providers: [one] }, async (gateway) => {
    await gateway.submit()
    await gateway.work()
  })
  const [, call, attempt] = spans
  const id = one.calls[0]?.id ?? ''
  assert.deepEqual([call?.spanId, attempt?.spanId], [id.slice(0, 16), id.slice(16, 32)])
})

test('an unknown outcome ends the span of its attempt; later outcomes are spans within it', async () => {
  const { spans } = await trace({ providers: [fakeProvider([OUTCOME_UNKNOWN])] }, async (gateway) => {
    const id = await gateway.submit()
    await gateway.work()
    gateway.pass(seconds(5))
    await applyReceipt(gateway.deps, receiptOf(await gateway.stateOf(id), 'bounced', { code: 'NO_SUCH_USER' }))
  })
  assert.deepEqual(outline(spans), [
    ['accept'],
    ['call one', 'attempt 1', 'TIMEOUT'],
    ['attempt 1', 'accept', 'TIMEOUT'],
    ['outcome', 'attempt 1'],
    ['receipt', 'call one', 'NO_SUCH_USER'],
  ])
})

test('a call that throws has a span', async () => {
  const fault = fakeProvider([() => Promise.reject(new Error('broken'))])
  const { spans } = await trace({ providers: [fault] }, async (gateway) => {
    await gateway.submit()
    await assert.rejects(gateway.work(), /broken/)
  })
  assert.deepEqual(
    spans.map(({ name, status }) => [name, status.message]),
    [
      ['accept', undefined],
      ['call one', 'FAULT'],
    ],
  )
})

test('what happened in a span of the same trace is within it, and linked to one of another trace', async () => {
  const [own, foreign] = ['1'.repeat(16), '2'.repeat(16)]
  const { spans } = await trace({}, async (gateway) => {
    const id = await gateway.submit({ cause: { traceId: TRACE, spanId: own } })
    await gateway.work()
    const state = await gateway.stateOf(id)
    await applyReceipt(gateway.deps, receiptOf(state, 'accepted', { cause: { traceId: TRACE, spanId: own } }))
    await applyReceipt(
      gateway.deps,
      receiptOf(state, 'delivered', { cause: { traceId: OTHER_TRACE, spanId: foreign } }),
    )
  })
  const [accepted, call, , one, other] = spans
  assert.deepEqual([accepted?.parentSpanId, one?.parentSpanId, other?.parentSpanId], [own, own, call?.spanId])
  assert.deepEqual(
    [one, other].map((span) => span?.links?.map(({ traceId, spanId }) => [traceId, spanId])),
    [[], [[OTHER_TRACE, foreign]]],
  )
})

test('nothing is exported of a message whose caller does not record its trace, and its provider is told so', async () => {
  const one = fakeProvider([ACCEPTS])
  const { requests } = await trace({ providers: [one] }, async (gateway) => {
    const id = await gateway.submit({ unsampled: true })
    await gateway.work()
    await applyReceipt(gateway.deps, receiptOf(await gateway.stateOf(id), 'delivered'))
  })
  assert.deepEqual(requests, [])
  assert.equal(one.calls[0]?.unsampled, true)
})

test('a message that fails without an attempt has an outcome span, also after a resend', async () => {
  const { spans } = await trace({ deps: { routes: fixed([]) } }, async (gateway) => {
    const id = await gateway.submit()
    await gateway.work()
    await resend(gateway.deps, { tenantId: TENANT, id, by: 'resend', traceId: OTHER_TRACE })
    await gateway.work()
  })
  assert.deepEqual(outline(spans), [
    ['accept'],
    ['outcome', 'accept', 'NO_ROUTE_FOUND'],
    ['resend', 'accept'],
    ['outcome', 'accept', 'NO_ROUTE_FOUND'],
  ])
})

test('the span of an older attempt has no start time of its own', async () => {
  const gateway = openGateway({ openEngine: openMemoryEngine, ids }, { providers: [fakeProvider([DEFERS, DEFERS])] })
  const id = await gateway.submit()
  await gateway.work()
  const first = await gateway.stateOf(id)
  gateway.pass(seconds(2))
  await gateway.work()
  await applyReceipt(gateway.deps, receiptOf(first, 'accepted'))
  const [late] = (await gateway.eventsOf(id)).filter(({ fact }) => fact.kind === 'HandoffAccepted')
  assert(late)
  const span = openSpans(ids)(late)
  assert.deepEqual([span?.name, span?.start, span?.end], ['outcome', late.at, late.at])
  assert.equal(span?.parent, attemptSpanOf(ids.attemptId({ messageId: id, cycle: 1, attempt: 1 })))
})

/** What can happen to a message, if its state allows it. */
const STEPS = {
  work: (gateway) => gateway.work(),
  wait: async (gateway) => gateway.pass(seconds(5)),
  erase: ({ deps }, id) => erase(deps, { tenantId: TENANT, id, traceId: OTHER_TRACE }),
  async resend({ deps, stateOf }, id) {
    const state = await stateOf(id)
    if (!isHandoffOver(state.handoffState) || state.erased || isExpired(state, deps.clock())) return
    await resend(deps, { tenantId: TENANT, id, by: 'resend', traceId: OTHER_TRACE })
  },
  async deliver({ deps, stateOf }, id) {
    const state = await stateOf(id)
    if (state.attempt > state.attemptsBefore) await applyReceipt(deps, receiptOf(state, 'delivered'))
  },
  async bounceFirst({ deps, stateOf }, id) {
    const state = await stateOf(id)
    if (state.attempt > 0) await applyReceipt(deps, receiptOf({ ...state, cycle: 1, attempt: 1 }, 'bounced'))
  },
} as const satisfies Record<string, (gateway: Gateway, id: MessageId) => Promise<unknown>>

test('S1-P17 every span is in the trace of its message, has a unique id, and an existing parent', async () => {
  const answer = fc.constantFrom(ACCEPTS, REJECTS, BLAMES_ITSELF, DEFERS, OUTCOME_UNKNOWN)
  const life = fc.record({
    answers: fc.array(answer, { minLength: 40, maxLength: 40 }),
    policy: fc.constantFrom('hold', 'resend', 'failover'),
    expiresAt: fc.constantFrom(later(START, seconds(12)), later(START, seconds(3600))),
    steps: fc.array(fc.constantFrom(...(Object.keys(STEPS) as (keyof typeof STEPS)[])), { maxLength: 40 }),
  })
  await fc.assert(
    fc.asyncProperty(life, async ({ answers, policy, expiresAt, steps }) => {
      const options = { providers: [fakeProvider(answers)], route: { unknown: { wait: seconds(5), policy } } }
      const { spans } = await trace(options, async (gateway) => {
        const id = await gateway.submit({ content: { ...CONTENT, expiresAt } })
        for (const step of steps) await STEPS[step](gateway, id)
      })
      const exported = new Set<string | undefined>(spans.map(({ spanId }) => spanId))
      assert.equal(exported.size, spans.length)
      for (const { traceId, parentSpanId } of spans) {
        assert.equal(traceId, TRACE)
        assert(parentSpanId === undefined || exported.has(parentSpanId))
      }
      assert.equal(spans.filter(({ parentSpanId }) => parentSpanId === undefined).length, 1)
    }),
    { numRuns: 200 },
  )
})
