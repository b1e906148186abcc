import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { hours } from '../../ports/samples.contract.ts'
import { type Call, openFixture, SMS } from '../server.fixture.ts'

const DAY = '2030-01-31'
const open = () => openFixture({ openEngine: openMemoryEngine, ids: openIds() })

async function exported(call: Call, query = `day=${DAY}`): Promise<readonly Record<string, unknown>[]> {
  const answer = await call('GET', `/v1/messages/export?${query}`)
  assert.deepEqual([answer.statusCode, answer.headers['content-type']], [200, 'application/x-ndjson'])
  return answer.body === ''
    ? []
    : answer.body
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
}

async function send(call: Call, key: string, more: object = {}): Promise<string> {
  const answer = await call('POST', '/v1/sms/send', { ...SMS, idempotency_key: key, ...more })
  assert.equal(answer.statusCode, 202)
  return answer.json().id
}

test('exports the messages of a day with all their events and without their texts', async () => {
  await using api = await open()
  const early = await api.caller()
  const ids = [await send(early, 'a', { metadata: { order: 'A-17' }, message: 'a secret' }), await send(early, 'b')]
  api.pass(hours(24))
  const call = await api.caller()
  await send(call, 'c')
  await api.project()
  const lines = await exported(call)
  assert.deepEqual(lines.map(({ id }) => id).toSorted(), ids.toSorted())
  const line = lines.find(({ id }) => id === ids[0])
  const { events_total: _, events_next_cursor: __, ...details } = (await call('GET', `/v1/messages/${ids[0]}`)).json()
  assert.deepEqual(line, details)
  assert.deepEqual(line?.['metadata'], { order: 'A-17' })
  assert.ok(!JSON.stringify(lines).includes('a secret'))
  assert.deepEqual(await exported(call, 'day=2030-02-02'), [])
  const other = await api.caller({ tenant_id: 'other' })
  assert.deepEqual(await exported(other), [])
})

test('exports content to those who may read it, which is recorded, and never a code', async () => {
  await using api = await open()
  const [call, reader, admin] = [
    await api.caller(),
    await api.caller({ scope: 'messages:read content:read' }),
    await api.caller({ scope: 'admin' }),
  ]
  const id = await send(call, 'a', { message: 'a secret' })
  const code = (await call('POST', '/v1/otp/generate', { to: '+15005550009', idempotency_key: 'b' })).json().message_id
  await api.project()
  const query = `day=${DAY}&with_content=true`
  const refused = await (await api.caller({ scope: 'messages:read' }))('GET', `/v1/messages/export?${query}`)
  assert.deepEqual([refused.statusCode, refused.json().error_code], [403, 'FORBIDDEN'])
  const contents = new Map((await exported(reader, query)).map((line) => [line['id'], line['content']]))
  assert.equal((contents.get(id) as { body: string }).body, 'a secret')
  assert.equal(contents.get(code), null)
  await call('POST', `/v1/messages/${id}/erase`)
  await api.project()
  assert.equal((await exported(reader, query)).find((line) => line['id'] === id)?.['content'], null)
  await exported(reader)
  const { items } = (await admin('GET', '/v1/audit?action=message.content_exported')).json()
  assert.deepEqual(
    items.map(({ target }: { target: unknown }) => target),
    [DAY, DAY].map((day) => ({ kind: 'day', id: day })),
  )
})

test('refuses what is no day', async () => {
  await using api = await open()
  const call = await api.caller()
  for (const query of ['', 'day=2030-02-30', 'day=yesterday']) {
    assert.equal((await call('GET', `/v1/messages/export?${query}`)).statusCode, 400, query)
  }
})
