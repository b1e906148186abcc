/** The official client drives `pombo mcp` over standard input and output. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { magic, send, untilEvent, untilIndexed, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'
import { type Connected, openSite, YES } from './mcp-site.fixture.ts'

type Item = Readonly<{ id: string; to: string; status: string }>
type Page = Readonly<{ items: readonly Item[]; next_cursor: string | null }>

const SCOPES = ['sms:send', 'email:send', 'messages:read', 'messages:write']

const site = await openSite()
const assistant = await site.overStdio({ key: await site.keyFor(SCOPES), answer: YES })
after(() => assistant[Symbol.asyncDispose]())

describe('an assistant', () => {
  const call = (...args: Parameters<Connected['call']>) => assistant.call(...args)

  test('learns what the tools are for, what they change and what they return', async () => {
    const { tools } = await assistant.client.listTools()
    for (const { name, title, description, annotations, outputSchema, inputSchema } of tools) {
      assert.ok(title && description && annotations && outputSchema, name)
      assert.equal(inputSchema['additionalProperties'], false, name)
    }
    const hints = new Map(tools.map(({ name, annotations }) => [name, annotations]))
    assert.equal(hints.get('find_messages')?.readOnlyHint, true)
    assert.equal(hints.get('send_test_message')?.destructiveHint, false)
    assert.deepEqual([hints.get('send_sms')?.destructiveHint, hints.get('send_sms')?.idempotentHint], [true, true])
    assert.equal(hints.get('replay_dead_letter')?.idempotentHint, false)
    assert.match(assistant.client.getInstructions() ?? '', /never follow instructions/)
  })

  test('sends to the simulator, and finds out why a message was not delivered', async () => {
    const sent = await call('send_test_message', { to: magic('0001'), message: 'Hello', tags: ['trial'] })
    assert.deepEqual([sent.isError, sent.data['mode'], sent.data['duplicate']], [false, 'test', false])
    const id = sent.data['id']
    const failed = await until('the failure', async () => {
      const { data } = await call('get_message', { id, mode: 'test' })
      return data['status'] === 'failed' && data
    })
    assert.equal(failed['error_code'], 'INVALID_NUMBER')

    const found = await until('the index', async () => {
      const { items } = (await call('find_messages', { q: 'trial', mode: 'test' })).data as Page
      return items.length > 0 && items
    })
    assert.deepEqual(
      found.map((item) => [item.id, item.to]),
      [[id, '+*******0001']],
    )
    const { data } = await call('explain_message', { id, mode: 'test' })
    assert.deepEqual([data['status'], (data['error'] as { code: string }).code], ['failed', 'INVALID_NUMBER'])
    assert.ok((data['actions'] as unknown[]).length > 0)
  })

  test('does not see live messages in test mode, nor test messages in live mode', async () => {
    const sent = await call('send_test_message', { to: magic('0100'), message: 'Hello' })
    const { isError, text } = await call('get_message', { id: sent.data['id'] })
    assert.deepEqual([isError, /404 NOT_FOUND/.test(text)], [true, true])
  })

  test('lists dead letters, and replays one', async () => {
    const id = await send(site.gateway, { to: magic('0004'), sender_id: 'Once', tags: ['dead'] })
    await untilEvent(site.gateway, id, 'DeadLettered')
    await untilIndexed(site.gateway)
    const { items } = (await call('list_dead_letters', { tag: 'dead' })).data as Page
    assert.deepEqual(
      items.map((item) => item.id),
      [id],
    )
    const { data } = await call('replay_dead_letter', { id })
    assert.deepEqual([data['id'], data['cycle']], [id, 2])
    await until('the second cycle', async () => {
      const shown = await call('get_message', { id })
      return shown.data['cycle'] === 2 && shown.data['dead_letter'] === true
    })
  })

  test('is told why a message cannot be replayed', async () => {
    const id = await send(site.gateway)
    await untilStatus(site.gateway, id, 'delivered')
    const { isError, text } = await call('replay_dead_letter', { id })
    assert.deepEqual([isError, /CONFLICT/.test(text)], [true, true])
  })

  test('resolves a route, and reads the health of providers', async () => {
    const route = await call('resolve_route', { to: magic('0100'), sender_id: 'Once' })
    assert.deepEqual([route.data['provider'], (route.data['route'] as { id: string }).id], ['simulator', 'once'])
    const { data } = await call('get_provider_health')
    const [provider] = data['items'] as { name: string; breaker: { state: string } }[]
    assert.deepEqual([provider?.name, provider?.breaker.state], ['simulator', 'closed'])
  })

  test('checks a message before it is sent', async () => {
    const good = await call('preflight_message', { to: magic('0100'), message: 'Olá, João' })
    assert.deepEqual([good.data['valid'], (good.data['sms'] as { segments: number }).segments], [true, 1])
    const bad = await call('preflight_message', { to: '12', message: 'Hello' })
    assert.equal(bad.data['valid'], false)
    assert.match(bad.text, /\/to/)
  })

  test('counts messages and their errors', async () => {
    const { data } = await call('get_statistics', { mode: 'test' })
    assert.ok(Array.isArray(data['buckets']) && Array.isArray(data['errors']))
  })

  test('previews a template, and is told of missing variables', async () => {
    const hidden = await call('preview_template', { text: 'Hello {{name}}', data: { name: 'Ana' } })
    assert.deepEqual(hidden.data, { segments: 1, encoding: 'gsm7', is_text_hidden: true })
    const missing = await call('preview_template', { text: 'Hello {{name}}' })
    assert.deepEqual([missing.isError, /name/.test(missing.text)], [true, true])
  })

  test('reads a message and its timeline as resources, whose ids are completed', async () => {
    const { client } = assistant
    const id = await send(site.gateway)
    await untilStatus(site.gateway, id, 'delivered')
    const { contents } = await client.readResource({ uri: `pombo://messages/${id}/timeline` })
    const [{ text, mimeType } = { text: '' }] = contents as { text: string; mimeType: string }[]
    const timeline = JSON.parse(text) as { status: string; events: { event_type: string }[]; events_total: number }
    assert.deepEqual(
      [mimeType, timeline.status, timeline.events.length],
      ['application/json', 'delivered', timeline.events_total],
    )
    assert.equal(timeline.events[0]?.event_type, 'MessageCreated')
    await client.readResource({ uri: `pombo://messages/${id}` })

    await untilIndexed(site.gateway)
    const ref = { type: 'ref/resource' as const, uri: 'pombo://messages/{id}/timeline' }
    for (const value of ['', id.slice(0, 4), id.slice(0, 12)]) {
      const { completion } = await client.complete({ ref, argument: { name: 'id', value } })
      assert.ok(completion.values.includes(id), value)
    }
    const test = await call('send_test_message', { to: magic('0100'), message: 'Hello' })
    await client.readResource({ uri: `pombo://test/messages/${test.data['id']}/timeline` })
    await assert.rejects(client.readResource({ uri: `pombo://messages/${test.data['id']}` }), /NOT_FOUND/)
    await assert.rejects(client.readResource({ uri: 'pombo://messages/..%2f..%2fv1' }), /full id/)
  })

  test('offers the question why a message was not delivered as a prompt', async () => {
    const { messages } = await assistant.client.getPrompt({ name: 'why_not_delivered', arguments: { message: 'A-17' } })
    assert.match(JSON.stringify(messages), /explain_message/)
  })

  test('reads the text of a message only with the scope for it', async () => {
    const id = await send(site.gateway, { message: 'Readable' })
    await using reader = await site.overStdio({ key: await site.keyFor(['messages:read', 'content:read']) })
    const { data } = await reader.call('get_message_content', { id })
    assert.equal(data['body'], 'Readable')
    const preview = await reader.call('preview_template', { text: 'Hello {{name}}', data: { name: 'Ana' } })
    assert.deepEqual([preview.data['text'], preview.data['is_text_hidden']], ['Hello Ana', false])
    assert.equal((await call('get_message_content', { id })).isError, true)
  })

  test('is refused what no tool takes, and nothing breaks', async () => {
    const hostile: readonly (readonly [string, Record<string, unknown>])[] = [
      ['__proto__', {}],
      ['constructor', {}],
      ['find_messages', { limit: 1_000 }],
      ['find_messages', { override_limits: true }],
      ['find_messages', { cursor: '../../secret' }],
      ['find_messages', { q: 'x'.repeat(10_000) }],
      ['get_message', { id: '../api-keys' }],
      ['get_message', { id: { $ne: null } }],
      ['get_message', {}],
      ['explain_message', { id: `${randomUUID()}?tenant=other` }],
      ['resolve_route', { to: '+1\u0000' }],
      ['preview_template', { text: '{% for i in (1..100000000) %}x{% endfor %}' }],
      ['preview_template', { text: 'x', data: { list: new Array(6_000).fill(1) } }],
      ['send_test_message', { to: magic('0100'), message: 'x', callback_url: 'https://evil.example/' }],
      ['send_test_message', { to: magic('0100'), message: 'x', channel: 'pigeon' }],
      ['replay_dead_letter', { id: randomUUID() }],
    ]
    for (const [name, args] of hostile) {
      const { isError, text } = await call(name, args)
      assert.ok(isError, `${name} ${JSON.stringify(args).slice(0, 80)}: ${text.slice(0, 200)}`)
      assert.ok(!/This server failed/.test(text), text)
    }
    assert.equal((await call('get_provider_health')).isError, false)
  })
})
