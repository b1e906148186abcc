/** API keys over HTTP and by CLI: issued, used, confined and revoked, in every process. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runPombo } from '../support/command.ts'
import { callerOf, type Gateway } from '../support/gateway.ts'
import { send, someSms, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'

const KEYS = '/v1/api-keys'

type Created = Readonly<{ id: string; key: string; expires_at: string | null }>

/** Two processes of one installation; in the embedded profile both are the same. */
export type Pair = Readonly<{ one: Gateway; other: Gateway }>

export const SETTINGS = { POMBO_TRUSTED_PROXIES: '127.0.0.0/8', POMBO_LOG_LEVEL: 'debug' }

export function apiKeysContract({ one, other }: Pair): void {
  const withKey = (key: string, gateway = one): Gateway => ({ ...gateway, call: callerOf(gateway.url, key) })

  async function create(fields: object = {}): Promise<Created> {
    const wanted = { name: 'Shop', scopes: ['sms:send', 'messages:read'], ...fields }
    const { status, body, text } = await one.call<Created>('POST', KEYS, wanted)
    assert.equal(status, 201, text)
    return body
  }

  const pombo = async (...args: readonly string[]): Promise<string> => {
    const { code, out, err } = await runPombo(args, { POMBO_URL: one.url, POMBO_TOKEN: one.token })
    assert.equal(code, 0, err + out)
    return out
  }

  test('a key that the CLI creates sends a message, in every process', async () => {
    const created = ['keys', 'create', '--name', 'Shop', '--scope', 'sms:send,messages:read', '--quiet']
    const key = (await pombo(...created)).trim()
    assert.match(key, /^pk_live_[0-9a-z]{12}_[0-9A-Za-z]{40}$/)
    for (const gateway of [one, other]) {
      const message = await untilStatus(withKey(key, gateway), await send(withKey(key, gateway)), 'delivered')
      assert.equal((await one.call('GET', `/v1/messages/${message.id}`)).status, 200)
    }
    assert.equal((await withKey(key).call('GET', KEYS)).status, 403)
    assert.match(await pombo('keys', 'list'), new RegExp(`^${key.slice(8, 20)} +Shop +live +`, 'm'))
    assert.equal((await runPombo(['search'], { POMBO_URL: one.url, POMBO_TOKEN: key })).code, 0)
  })

  test('what a test key does is apart from what is live', async () => {
    const [live, tried] = [withKey((await create()).key), withKey((await create({ mode: 'test' })).key)]
    const [sent, tested] = [await send(live), await send(tried)]
    assert.equal((await live.call('GET', `/v1/messages/${tested}`)).status, 404)
    assert.equal((await one.call('GET', `/v1/messages/${tested}`)).status, 404)
    assert.equal((await tried.call('GET', `/v1/messages/${sent}`)).status, 404)
    await untilStatus(tried, tested, 'delivered')

    const sms = someSms()
    const ids = await Promise.all(
      [live, tried].map(
        async ({ call }) => (await call<{ request_id: string }>('POST', '/v1/sms/send', sms)).body.request_id,
      ),
    )
    assert.notEqual(ids[0], ids[1], 'idempotency keys are apart too')
  })

  test('a revoked key is refused in every process within a second', async () => {
    const took: number[] = []
    for (let time = 0; time < 3; time += 1) {
      const { id, key } = await create()
      const use = (gateway: Gateway) => withKey(key, gateway).call<{ detail: string }>('GET', '/v1/messages')
      for (const gateway of [one, other]) assert.equal((await use(gateway)).status, 200)
      const startedAt = performance.now()
      assert.equal((await one.call('DELETE', `${KEYS}/${id}`)).status, 204)
      for (const gateway of [other, one]) {
        const { status, body } = await until('a refusal', async () => {
          const answer = await use(gateway)
          return answer.status !== 200 && answer
        })
        assert.deepEqual([status, body.detail], [401, 'The API key was revoked'])
      }
      took.push(performance.now() - startedAt)
      const { body } = await other.call<{ status: string }>('GET', `${KEYS}/${id}`)
      assert.equal(body.status, 'revoked')
    }
    // The machine may be slow now and then.
    assert.ok(Math.min(...took) < 1_000, `${took.join()} ms`)
  })

  test('a rotated key overlaps with its successor, or does not', async () => {
    const old = await create()
    const rotated = (await other.call<Created>('POST', `${KEYS}/${old.id}/rotate`, {})).body
    for (const key of [old.key, rotated.key]) {
      for (const gateway of [one, other]) {
        assert.equal((await withKey(key, gateway).call('GET', '/v1/messages')).status, 200)
      }
    }
    const next = (await pombo('keys', 'rotate', rotated.id, '--overlap-seconds', '0', '--quiet')).trim()
    assert.equal((await withKey(rotated.key, other).call('GET', '/v1/messages')).status, 401)
    assert.equal((await withKey(next, other).call('GET', '/v1/messages')).status, 200)
  })

  test('a key is valid only from its networks, and a client cannot make up where it is', async () => {
    const { key } = await create({ networks: ['203.0.113.0/24'] })
    const { call } = withKey(key)
    const from = async (forwarded?: string) => {
      const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
      const { status, body } = await call<{ detail?: string }>('GET', '/v1/messages', undefined, headers)
      return status === 401 ? body.detail : status
    }
    assert.equal(await from(), 'The API key may not be used from 127.0.0.1')
    assert.equal(await from('203.0.113.7'), 200)
    assert.equal(await from('198.51.100.1'), 'The API key may not be used from 198.51.100.1')
    assert.equal(await from('203.0.113.7, 198.51.100.1'), 'The API key may not be used from 198.51.100.1')
  })

  test('no log line contains a key', async () => {
    const { id, key } = await create()
    const wrong = `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`
    for (const text of [key, wrong, `${key}x`]) await withKey(text).call('POST', '/v1/sms/send', {})
    const lines = one.err()
    assert.ok(lines.includes(`"api_key_id":"${id}"`))
    for (const text of [key, wrong]) assert.equal(lines.includes(text.slice(-40)), false)
  })
}
