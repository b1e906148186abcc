import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PomboError } from '../../../clients/node/src/errors.ts'
import type { Message } from '../../../clients/node/src/generated/types.ts'
import { Pombo, type PomboOptions } from '../../../clients/node/src/pombo.ts'
import { type Repeatable, toBackOff, toRetryDelay } from '../../../clients/node/src/retry.ts'

const LIMITS = { maxRetries: 2, maxRetryDelayMs: 10_000 }
const answered = (status: number, retryAfter?: number): PomboError =>
  new PomboError({ code: 'UNAVAILABLE', detail: '', status, retryAfter })
const lost = new PomboError({ code: 'CONNECTION_FAILED', detail: '' })
const late = new PomboError({ code: 'TIMEOUT', detail: '' })
const isRetried = (error: PomboError, repeatable: Repeatable, retries = 0): boolean =>
  toRetryDelay(error, repeatable, retries, LIMITS) !== undefined

describe('a call is retried', () => {
  test('if it may have happened, only where that changes nothing', () => {
    for (const error of [lost, late, answered(502), answered(503), answered(504)]) {
      assert.deepEqual(
        (['always', 'with-key', 'never'] as const).map((repeatable) => isRetried(error, repeatable)),
        [true, true, false],
        error.code,
      )
    }
  })

  test('if there were too many, because then it did not happen', () => {
    assert.ok(isRetried(answered(429), 'never'))
  })

  test('neither if it was refused, nor if the gateway has a fault', () => {
    for (const status of [400, 401, 404, 409, 422, 500, 507]) assert.ok(!isRetried(answered(status), 'always'))
  })

  test('so many times, and not if the gateway asks for more patience than there is', () => {
    assert.deepEqual([isRetried(lost, 'always', 1), isRetried(lost, 'always', 2)], [true, false])
    assert.equal(toRetryDelay(answered(429, 9), 'never', 0, LIMITS), 9_000)
    assert.equal(toRetryDelay(answered(429, 11), 'never', 0, LIMITS), undefined)
  })

  test('later each time, and never at once', () => {
    for (const retries of [0, 1, 5, 50]) {
      const most = Math.min(250 * 2 ** retries, 8_000)
      const delayMs = toBackOff(retries, 8_000)
      assert.ok(delayMs >= most / 2 && delayMs <= most, `${retries}: ${delayMs}`)
    }
  })
})

type Sent = Readonly<{ url: string; method: string; headers: Headers; body: unknown }>

/** A client of a server that answers as told, in order. */
function openClient(answers: readonly (Response | Error)[], options: Partial<PomboOptions> = {}) {
  const sent: Sent[] = []
  const queue = [...answers]
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { method = '', headers, body } = init ?? {}
    sent.push({
      url: String(input),
      method,
      headers: new Headers(headers),
      body: body ? JSON.parse(String(body)) : body,
    })
    const next = queue.shift() ?? new Error('no more answers')
    if (next instanceof Error) throw next
    return next
  }
  return { sent, pombo: new Pombo({ url: 'https://pombo.example/base/', key: 'k', fetch, ...options }) }
}

const broken = (): Error => new TypeError('fetch failed')
const ok = (body: object = { id: 'a' }): Response => Response.json(body)
const problem = (status: number, fields: object = {}): Response =>
  Response.json({ error_code: 'RATE_LIMITED', detail: 'slower', ...fields }, { status })
const keyOf = ({ headers }: Sent): string | null => headers.get('idempotency-key')

describe('a send', () => {
  test('is retried with one key of its own', async () => {
    const { pombo, sent } = openClient([broken(), new Response('', { status: 503 }), ok(), ok()])
    await pombo.sms.send({ to: '+15005550006', message: 'Hi' })
    await pombo.sms.send({ to: '+15005550006', message: 'Hi' })
    const [first, second, third, other] = sent.map(keyOf)
    assert.ok(first !== null && first === second && second === third && other !== first)
    assert.equal(sent[0]?.url, 'https://pombo.example/base/v1/sms/send')
    assert.equal(sent[0]?.headers.get('authorization'), 'Bearer k')
  })

  test('has the key that the caller chose, in the body or as an option', async () => {
    const { pombo, sent } = openClient([ok(), ok()])
    await pombo.sms.send({ to: '+15005550006', idempotency_key: 'mine' })
    await pombo.sms.send({ to: '+15005550006' }, { idempotencyKey: 'also mine' })
    assert.deepEqual(sent.map(keyOf), [null, 'also mine'])
    assert.deepEqual(sent[0]?.body, { to: '+15005550006', idempotency_key: 'mine' })
  })

  test('tells its key if it fails', async () => {
    const { pombo, sent } = openClient([broken()], { maxRetries: 0 })
    const error = await pombo.sms.send({ to: '+15005550006' }).catch((caught) => caught)
    assert.ok(error instanceof PomboError && sent[0] !== undefined)
    assert.deepEqual([error.code, error.idempotencyKey], ['CONNECTION_FAILED', keyOf(sent[0])])
  })
})

describe('a client', () => {
  test('asks for its key before each attempt', async () => {
    let asked = 0
    const key = async (): Promise<string> => `key ${++asked}`
    const { pombo, sent } = openClient([broken(), ok()], { key })
    await pombo.messages.get('a')
    assert.deepEqual(
      sent.map(({ headers }) => headers.get('authorization')),
      ['Bearer key 1', 'Bearer key 2'],
    )
  })

  test('waits as long as it is asked to, and gives up when its caller does', async () => {
    const { pombo, sent } = openClient([problem(429, { retry_after: 15 }), ok()])
    const leaving = new AbortController()
    const call = pombo.messages.get('a', {}, { signal: leaving.signal })
    const reason = new Error('enough')
    setImmediate(() => leaving.abort(reason))
    await assert.rejects(call, reason)
    assert.equal(sent.length, 1)
  })

  test('ends an attempt that takes too long', async () => {
    const fetch: typeof globalThis.fetch = (_, init) =>
      new Promise((_resolve, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)))
    const pombo = new Pombo({ url: 'https://pombo.example', fetch, timeoutMs: 20, maxRetries: 1 })
    await assert.rejects(pombo.messages.get('a'), { code: 'TIMEOUT', status: undefined })
  })

  test('explains what is not of the gateway', async () => {
    const html = { status: 502, headers: { 'content-type': 'text/html', 'retry-after': '7' } }
    const { pombo } = openClient(
      [
        new Response('<h1>Bad gateway</h1>', html),
        new Response('<h1>Hello</h1>'),
        new Response(null, { status: 302, headers: { location: 'https://elsewhere.example' } }),
      ],
      { maxRetries: 0 },
    )
    await assert.rejects(pombo.messages.get('a'), { code: 'HTTP_ERROR', status: 502, retryAfter: 7 })
    await assert.rejects(pombo.messages.get('a'), { code: 'INVALID_RESPONSE', status: 200 })
    await assert.rejects(pombo.messages.get('a'), { code: 'HTTP_ERROR', status: 302 })
  })

  test('encodes what is in a path, and refuses what would name something else', async () => {
    const { pombo, sent } = openClient([ok()])
    await pombo.limits.get('recipient', '+1/2?3', { set_by: undefined })
    assert.equal(sent[0]?.url, 'https://pombo.example/base/v1/limits/recipient/%2B1%2F2%3F3')
    for (const id of ['', '.', '..']) assert.throws(() => pombo.messages.get(id), TypeError)
    assert.throws(() => pombo.request({ method: 'GET', path: '@elsewhere.example' }), TypeError)
  })

  test('loads pages while it is iterated over', async () => {
    const pages = [
      { items: [{ id: 'a' }, { id: 'b' }], next_cursor: 'more' },
      { items: [{ id: 'c' }], next_cursor: null },
    ]
    const { pombo, sent } = openClient(pages.map(ok))
    const ids: Message['id'][] = []
    for await (const { id } of pombo.messages.list({ tag: 'a b', unknown: false })) ids.push(id)
    assert.deepEqual(ids, ['a', 'b', 'c'])
    assert.deepEqual(
      sent.map(({ url }) => new URL(url).search),
      ['?tag=a+b&unknown=false', '?tag=a+b&unknown=false&cursor=more'],
    )
  })
})
