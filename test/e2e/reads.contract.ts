/** One tenant reads as much as it can, and uploads what nobody wants; the process lives and another tenant goes on. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import type { Answer, Gateway } from '../support/gateway.ts'
import type { ShareGateway } from '../support/shared-gateway.ts'
import { freshNumber, type Page, post, send, someSms, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'

const KILOBYTE = 1024
const MEGABYTE = 1024 * KILOBYTE
/** What a page of a list may take, and what the last row may add to it. */
const LARGEST_PAGE = 2 * MEGABYTE
const STREAMS = 300
const ADMITTED_STREAMS = 100
/** On a machine that also runs other tests. */
const SOON_MS = 5_000

export async function readsContract(share: ShareGateway): Promise<void> {
  const gateway = await share({ env: { POMBO_LOG_LEVEL: 'error' } })
  const [attacker, victim] = [await gateway.of('attacker'), await gateway.of('victim')]
  await send(victim)
  listTests(attacker, victim)
  timelineTests(attacker, victim)
  streamTests(attacker, victim)
  uploadTests(attacker)
}

/** A neighbour's list, a message of its own, and the health check are answered soon. */
async function assertGoesOn(victim: Gateway): Promise<void> {
  const begunAt = performance.now()
  const [health, list, sent] = await Promise.all([
    victim.call('GET', '/health/live'),
    victim.call<Page>('GET', '/v1/messages'),
    post(victim, someSms()),
  ])
  const took = performance.now() - begunAt
  assert.deepEqual([health.status, list.status, sent.status], [200, 200, 202])
  assert.ok(took < SOON_MS, `${took} ms`)
}

/** All at once, while another tenant goes on. Each is answered, or refused with the time to wait. */
async function crowd<Body>(
  victim: Gateway,
  count: number,
  read: () => Promise<Answer<Body>>,
): Promise<readonly Answer<Body>[]> {
  const [answers] = await Promise.all([Promise.all(Array.from({ length: count }, read)), assertGoesOn(victim)])
  for (const { status, headers, text } of answers) {
    assert.ok(status === 200 || status === 429 || status === 503, `${status}: ${text.slice(0, 200)}`)
    if (status !== 200) assert.ok(Number(headers.get('retry-after')) >= 1)
    assert.ok(text.length < LARGEST_PAGE, `${text.length} characters`)
  }
  await assertGoesOn(victim)
  return answers.filter(({ status }) => status === 200)
}

function listTests(attacker: Gateway, victim: Gateway): void {
  describe('lists', () => {
    test('of messages with much metadata are cut to pages that all messages are on', async () => {
      const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, nth) => [`key-${nth}`, 'x'.repeat(480)]))
      const count = 400
      for (let nth = 0; nth < count; nth += 200) {
        const items = Array.from({ length: 200 }, () => ({ ...someSms({ metadata }), tags: ['heavy'] }))
        const { status, text } = await attacker.call('POST', '/v1/messages/batch', { items })
        assert.equal(status, 200, text.slice(0, 200))
      }
      const path = '/v1/messages?limit=200&tag=heavy'
      await until('all to be listed', async () => (await idsOf(attacker, path)).size === count)
      const full = await crowd(victim, 100, () => attacker.call<Page>('GET', path))
      assert.ok(full.length > 0)
    })

    test('of large templates carry no texts', async () => {
      const html = `<p>${'x'.repeat(500 * KILOBYTE)}</p>`
      for (let nth = 0; nth < 20; nth += 1) {
        const template = { name: `large-${nth}`, channel: 'email', subject: 'Large', text: 'Large', html }
        assert.equal((await attacker.call('POST', '/v1/templates', template)).status, 201)
      }
      const lists = await crowd(victim, 50, () => attacker.call('GET', '/v1/templates?limit=200'))
      assert.ok(lists.length > 0)
      for (const { text } of lists) assert.ok(text.length < 64 * KILOBYTE)
      const texts = await crowd(victim, 20, () => attacker.call('GET', '/v1/templates/large-1'))
      assert.ok(texts.length > 0)
    })

    test('of one tenant wait for each other, and not those of another', async () => {
      await crowd(victim, 300, () => attacker.call<Page>('GET', '/v1/messages?q=parcel&limit=200'))
    })
  })
}

/** The ids on all pages of a list. */
async function idsOf({ call }: Gateway, path: string): Promise<ReadonlySet<string>> {
  const ids = new Set<string>()
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body, text }: Answer<Page> = await call<Page>('GET', cursor === '' ? path : `${path}&cursor=${cursor}`)
    assert.ok(text.length < LARGEST_PAGE, `${text.length} characters`)
    for (const { id } of body.items) ids.add(id)
    cursor = body.next_cursor
  }
  return ids
}

type Timeline = Readonly<{ events: readonly object[]; events_total: number; events_next_cursor: string | null }>

function timelineTests(attacker: Gateway, victim: Gateway): void {
  test('a message that was resent often is shown in pages, also to a crowd', async () => {
    const id = await send(attacker, { to: freshNumber() })
    const resends = 150
    for (let nth = 0; nth < resends; nth += 1) {
      await until('it to be resent', async () => {
        const { status } = await attacker.call('POST', `/v1/messages/${id}/resend`)
        assert.ok(status === 202 || status === 409, `${status}`)
        return status === 202
      })
    }
    const pages = await crowd(victim, 50, () => attacker.call<Timeline>('GET', `/v1/messages/${id}`))
    const { events, events_total: total, events_next_cursor: cursor } = pages[0]?.body ?? assert.fail('no answer')
    assert.ok(total > 3 * resends, `${total} events`)
    assert.ok(events.length < total, `${events.length} of ${total}`)
    let seen = events.length
    for (let next = cursor; next !== null; ) {
      const { body } = await attacker.call<Timeline>('GET', `/v1/messages/${id}?events_cursor=${next}`)
      seen += body.events.length
      next = body.events_next_cursor
    }
    assert.ok(seen >= total, `${seen} of ${total}`)
  })
}

function streamTests(attacker: Gateway, victim: Gateway): void {
  test('one tenant has a bounded number of event streams, and another one still gets its own', async () => {
    const leaving = new AbortController()
    // A response that nothing refers to is closed.
    const streams: Response[] = []
    const open = async ({ token }: Gateway): Promise<number> => {
      const headers = { authorization: `Bearer ${token}` }
      const response = await fetch(`${attacker.url}/v1/events`, { headers, signal: leaving.signal })
      streams.push(response)
      return response.status
    }
    const statuses: number[] = []
    for (let nth = 0; nth < STREAMS; nth += 1) statuses.push(await open(attacker))
    const admitted = statuses.filter((status) => status === 200).length
    assert.equal(admitted, ADMITTED_STREAMS)
    assert.deepEqual([...new Set(statuses)], [200, 429])
    assert.equal(await open(victim), 200)
    await assertGoesOn(victim)
    await untilStatus(victim, await send(victim), 'delivered')
    assert.equal(streams.length, STREAMS + 1)
    leaving.abort()
  })
}

/** Writes a whole large request before it reads, as simple clients do; returns what the server says. */
async function upload({ url, token }: Gateway, path: string, bytes: number): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: pombo',
    `authorization: Bearer ${token}`,
    'content-type: application/json',
    `content-length: ${bytes}`,
  ]
  const broken = Promise.withResolvers<never>()
  socket.once('error', broken.reject)
  const write = (text: string | Buffer): Promise<void> => new Promise((resolve) => socket.write(text, () => resolve()))
  const answered = async (): Promise<string> => {
    await write(`${head.join('\r\n')}\r\n\r\n`)
    const chunk = Buffer.alloc(64 * KILOBYTE, 'x')
    for (let sent = 0; sent < bytes; sent += chunk.length) await write(chunk.subarray(0, bytes - sent))
    let answer = ''
    for await (const part of socket.setEncoding('utf8')) {
      answer += part
      if (answer.includes('"error_code"')) break
    }
    return answer
  }
  try {
    return await Promise.race([answered(), broken.promise])
  } finally {
    socket.destroy()
  }
}

function uploadTests(attacker: Gateway): void {
  const nobody = { ...attacker, token: randomUUID() }
  for (const [what, from, path, expected] of [
    ['that is too large', attacker, '/v1/sms/send', /^HTTP\/1.1 413 [\s\S]*PAYLOAD_TOO_LARGE/],
    ['without a valid token', nobody, '/v1/email/send', /^HTTP\/1.1 401 [\s\S]*UNAUTHENTICATED/],
    ['to an unknown path', attacker, '/v1/nowhere', /^HTTP\/1.1 404 [\s\S]*NOT_FOUND/],
  ] as const) {
    test(`an upload ${what} gets its answer, and not a reset`, async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => upload(from, path, 8 * MEGABYTE)))
      for (const answer of answers) assert.match(answer, expected)
    })
  }
}
