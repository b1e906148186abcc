/** Observing a running gateway: search, event stream, statistics, metrics and documents. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { describeMetrics } from '../../src/observe/metrics/docs.ts'
import { subscribe } from '../support/events.ts'
import type { Gateway } from '../support/gateway.ts'
import { searchAll } from '../support/index-dump.ts'
import { magic, metric, search, send, untilEvent, untilIndexed, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'
import type { UnknownOutcomes } from './unknown-outcome.fixture.ts'

type Readiness = Readonly<{ status: string; dependencies: Readonly<Record<string, { ok: boolean }>> }>

export function seeingContract(gateway: Gateway, { openUnknown }: UnknownOutcomes): void {
  test('search finds messages by each filter', async () => {
    const to = '+4915112345678'
    const startedAt = new Date().toISOString()
    const delivered = await send(gateway, {
      to,
      tags: ['blue', 'green'],
      metadata: { customer: 'Zuckmayer' },
      lane: 'bulk',
    })
    const failed = await send(gateway, { to: magic('0001'), tags: ['blue'] })
    const silent = await send(gateway, { to: magic('0006'), tags: ['blue'] })
    await untilStatus(gateway, delivered, 'delivered')
    await untilStatus(gateway, failed, 'failed')
    await untilStatus(gateway, silent, 'sent')
    await untilIndexed(gateway)
    const endedAt = new Date(Date.now() + 1).toISOString()

    const idsBy = async (query: Record<string, string>) =>
      (await search(gateway, { created_from: startedAt, ...query })).items.map(({ id }) => id)
    const cases: readonly (readonly [Record<string, string>, readonly string[]])[] = [
      [{ channel: 'sms' }, [silent, failed, delivered]],
      [{ channel: 'email' }, []],
      [{ status: 'delivered' }, [delivered]],
      [{ status: 'failed' }, [failed]],
      [{ handoff_state: 'handed_off' }, [silent, delivered]],
      [{ provider_state: 'delivered' }, [delivered]],
      [{ provider_state: 'unknown' }, [silent, failed]],
      [{ provider: 'simulator' }, [silent, failed, delivered]],
      [{ provider: 'nobody' }, []],
      [{ to }, [delivered]],
      [{ to: '+4915112345679' }, []],
      [{ tag: 'blue' }, [silent, failed, delivered]],
      [{ tag: 'green' }, [delivered]],
      [{ lane: 'bulk' }, [delivered]],
      [{ created_to: endedAt }, [silent, failed, delivered]],
      [{ created_to: startedAt }, []],
      [{ q: 'zuckm' }, [delivered]],
      [{ q: 'INVALID_NUMBER' }, [failed]],
      [{ unknown: 'true' }, []],
      [{ tag: 'blue', status: 'sent' }, [silent]],
    ]
    for (const [query, ids] of cases) assert.deepEqual(await idsBy(query), ids, JSON.stringify(query))
  })

  test('search shows a message whose outcome is unknown, and pages through the rest', async () => {
    await openUnknown(gateway, { tags: ['unknown'] })
    await until('the index to show the unknown outcome', async () =>
      (await search(gateway, { unknown: 'true', tag: 'unknown' })).items.some(({ unknown }) => unknown),
    )
    const ids = await Promise.all(Array.from({ length: 7 }, () => send(gateway, { tags: ['page'] })))
    await untilIndexed(gateway)
    const found: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Awaited<ReturnType<typeof search>> = await search(gateway, {
        tag: 'page',
        limit: '3',
        ...(cursor === '' ? {} : { cursor }),
      })
      found.push(...page.items.map(({ id }) => id))
      cursor = page.next_cursor
    }
    assert.deepEqual(found.toSorted(), ids.toSorted())
    assert.equal((await searchAll(gateway, { tag: 'page' })).length, 7)
  })

  describe('the event stream', () => {
    test('sends every status change and resumes after the last event id', async () => {
      await using first = await subscribe(gateway)
      const id = await send(gateway, { to: magic('0003') })
      const mine = () => first.received.filter(({ data }) => data.includes(id))
      await until('the message to be delivered', () =>
        mine().some(({ data }) => data.includes('"newStatus":"delivered"')),
      )
      assert.deepEqual(
        mine().map(({ name, data }) => [name, JSON.parse(data).newStatus ?? JSON.parse(data).reason]),
        [
          ['sms.events.status.v1', 'queued'],
          ['sms.events.status.v1', 'sending'],
          ['sms.outbound.retry.v1', 'SERVICE_UNAVAILABLE'],
          ['sms.outbound.retry.v1', 'SERVICE_UNAVAILABLE'],
          ['sms.events.status.v1', 'sent'],
          ['sms.events.status.v1', 'delivered'],
        ],
      )
      for (const [index, { id: lastEventId }] of mine().entries()) {
        const rest = mine().slice(index + 1)
        await using again = await subscribe(gateway, { message_id: id }, lastEventId)
        await until('the rest to be sent again', () => again.received.length >= rest.length)
        assert.deepEqual(again.received, rest)
      }
    })

    test('can be filtered by event type', async () => {
      await using dead = await subscribe(gateway, { event: 'sms.outbound.deadletter.v1' })
      const [id] = await Promise.all([send(gateway, { to: magic('0004') }), send(gateway)])
      await until('the dead letter', () => dead.received.length > 0)
      assert.deepEqual(
        dead.received.map(({ data }) => [JSON.parse(data).messageId, JSON.parse(data).attemptCount]),
        [[id, 5]],
      )
    })
  })

  describe('statistics', () => {
    test('count messages by time, provider and status, with their latencies', async () => {
      await untilStatus(gateway, await send(gateway), 'delivered')
      await untilIndexed(gateway)
      type Stats = {
        buckets: readonly { provider: string; statuses: Record<string, number>; accept_to_handoff: object }[]
      }
      const { body } = await gateway.call<Stats>('GET', '/v1/stats?bucket=60')
      const delivered = body.buckets.reduce((sum, { statuses }) => sum + (statuses['delivered'] ?? 0), 0)
      assert.equal(delivered, (await searchAll(gateway, { status: 'delivered' })).length)
      const carried = body.buckets.filter(({ provider }) => provider === 'simulator')
      assert(carried.some(({ accept_to_handoff: latency }) => latency !== null))
    })

    test('are exposed to Prometheus under documented names', async () => {
      await untilEvent(gateway, await send(gateway, { to: magic('0004') }), 'DeadLettered')
      const { text, headers } = await gateway.call('GET', '/metrics', undefined, { authorization: '' })
      assert.match(headers.get('content-type') ?? '', /^text\/plain/)
      for (const name of [
        'pipeline_state_transitions_total',
        'pipeline_validation_failures_total',
        'pipeline_processing_duration_seconds',
        'pipeline_retry_total',
        'pipeline_final_state_total',
        'pombo_messages_ended_total',
        'pombo_provider_call_duration_seconds',
        'pombo_http_requests_total',
        'pombo_accept_duration_seconds',
        'pombo_handoff_latency_seconds',
        'pombo_queue_jobs',
        'pombo_index_lag_events',
      ]) {
        assert.match(text, new RegExp(`^# TYPE ${name} `, 'm'))
      }
      assert(await metric(gateway, 'pipeline_retry_total'))
      const exported = new Set([...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name))
      const documented = (await describeMetrics()).filter(({ name }) => !name.startsWith('pombo_sink_'))
      const isMissing = ({ name, profile }: (typeof documented)[number]) => profile === undefined && !exported.has(name)
      assert.deepEqual(documented.filter(isMissing), [])
      const names = new Set(documented.map(({ name }) => name))
      assert.deepEqual(
        [...exported].filter((name) => !names.has(name ?? '')),
        [],
      )
      const stored = [...text.matchAll(/^pombo_storage_bytes\{store="(\w+)"\} (\S+)$/gm)]
      assert(stored.some(([, , bytes]) => Number(bytes) > 0))
      assert.match(text, /^pipeline_final_state_total\{[^}]*state="FAILED"[^}]*\} [1-9]/m)
    })
  })

  test('documents and health need no token', async () => {
    const open = { authorization: '' }
    const document = await gateway.call<{ openapi: string; paths: object }>('GET', '/openapi.json', undefined, open)
    assert.equal(document.body.openapi, '3.1.0')
    for (const path of ['/v1/sms/send', '/v1/messages/batch', '/v1/events', '/v1/dead-letters/replay']) {
      assert(path in document.body.paths, path)
    }
    const docs = await gateway.call('GET', '/docs/yaml', undefined, open)
    assert.equal(docs.status, 200)
    assert.match(docs.text, /^openapi: 3.1.0$/m)
    assert.equal((await gateway.call('GET', '/health/live', undefined, open)).status, 200)
    const ready = await gateway.call<Readiness>('GET', '/health/ready', undefined, open)
    assert.equal(ready.body.status, 'ready')
    const found = Object.entries(ready.body.dependencies).map(([name, { ok }]) => [name, ok])
    assert.deepEqual({ log: true, index: true, ...Object.fromEntries(found) }, Object.fromEntries(found))
    assert.ok(found.every(([, ok]) => ok === true))
    assert.equal((await gateway.call('GET', '/v1/messages', undefined, open)).status, 401)
  })
}
