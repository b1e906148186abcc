import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../test/memory/memory.ts'
import { openIds } from '../engines/crypto/ids.ts'
import { openFixture, SMS } from './server.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }

test('close waits for requests in flight, not for idle connections', { timeout: 10_000 }, async () => {
  const { log } = openMemoryEngine({ clock: () => 0 as never })
  const [arrived, stored] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const slow = {
    ...log,
    append: async (...args: Parameters<typeof log.append>) => {
      arrived.resolve()
      await stored.promise
      return log.append(...args)
    },
  }
  const api = await openFixture(world, { log: slow })
  const url = await api.app.listen({ port: 0, host: '127.0.0.1' })
  const headers = { authorization: `Bearer ${await api.token()}`, 'content-type': 'application/json' }
  const idle = await fetch(`${url}/health/live`)
  assert.equal(idle.status, 200)
  const answer = fetch(`${url}/v1/sms/send`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ ...SMS, idempotency_key: 'k' }),
  })
  await arrived.promise
  const closed = api.app.close()
  while (api.app.server.listening) await new Promise(setImmediate)
  stored.resolve()
  assert.equal((await answer).status, 202)
  await closed
})
