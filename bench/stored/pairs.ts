/** Every filter of `GET /v1/messages` alone and every pair of them, with common, rare and absent values. */
import { type Instant, later, type Millis, millis, seconds, toIso } from '../../src/lib/time.ts'
import { call, type Sender } from '../messages.ts'
import { type Corpus, createdAt, providerMessageIdOf, recipientOf } from './messages.ts'

/** In milliseconds; `found` is the number of items. */
export type Asked = Readonly<{ name: string; found: number; p50: number; worst: number }>

type Filter = Readonly<{ name: string; query: string }>

const CALLS = 5
const HOUR = seconds(60 * 60)
const DAY = millis(24 * HOUR)

const plain = (...queries: readonly string[]): readonly Filter[] => queries.map((query) => ({ name: query, query }))

/** The values of each filter. */
function valuesOf(corpus: Corpus): readonly (readonly Filter[])[] {
  const middle = createdAt(corpus, corpus.messages / 2)
  const nth = 10 * Math.floor(corpus.messages / 20)
  const created = (since: Instant, length: Millis): string =>
    `created_from=${toIso(since)}&created_to=${toIso(later(since, length))}`
  return [
    plain('channel=sms', 'channel=email'),
    plain('status=delivered', 'status=failed', 'status=expired'),
    plain('handoff_state=handed_off', 'handoff_state=failed', 'handoff_state=queued'),
    plain('provider_state=delivered', 'provider_state=unknown', 'provider_state=complaint'),
    plain('provider=simulator', 'provider=second', 'provider=nobody'),
    [{ name: 'provider_message_id=…', query: `provider_message_id=${providerMessageIdOf(nth)}` }],
    [{ name: 'to=…', query: `to=${encodeURIComponent(recipientOf(corpus, nth))}` }],
    plain('tag=campaign', 'tag=rare', 'tag=nothing'),
    [{ name: 'metadata=…', query: `metadata=order:A-${50 * Math.floor(corpus.messages / 100)}` }],
    plain('lane=transactional', 'lane=bulk', 'lane=otp'),
    [
      { name: 'an hour', query: created(middle, HOUR) },
      { name: 'a day', query: created(middle, DAY) },
    ],
    plain('q=campaign', 'q=carrier', 'q=nothing+of+it'),
    plain('unknown=true', 'unknown=false'),
  ]
}

export function pairsOf(corpus: Corpus): readonly Filter[] {
  const filters = valuesOf(corpus)
  const pairs = filters.flatMap((some, nth) =>
    some.flatMap((one) =>
      filters
        .slice(nth + 1)
        .flat()
        .map((other) => ({ name: `${one.name} & ${other.name}`, query: `${one.query}&${other.query}` })),
    ),
  )
  return [{ name: 'all', query: 'limit=50' }, ...filters.flat(), ...pairs]
}

/**
 * The first page, one from the middle of the list, and the first page with the total of each; and statistics. The cursor
 * of the middle is that of all messages: a cursor is a place in the list, whatever is filtered. With a text it also says
 * what the text means.
 */
export async function askPairs(sender: Sender, corpus: Corpus): Promise<readonly Asked[]> {
  const middle = await cursorAt(sender, createdAt(corpus, corpus.messages / 2))
  const asked: Asked[] = []
  for (const { name, query } of pairsOf(corpus)) {
    const path = `/v1/messages?${query}`
    asked.push(await ask(sender, name, path))
    const cursor = new URLSearchParams(query).has('q') ? `words~${middle}` : middle
    asked.push(await ask(sender, `${name}, middle`, `${path}&cursor=${cursor}`))
    asked.push(await ask(sender, `${name}, total`, `${path}&total=true`))
  }
  for (const [name, path] of statsOf(corpus)) asked.push(await ask(sender, name, path))
  return asked
}

async function cursorAt(sender: Sender, at: Instant): Promise<string> {
  const page = await call(sender, 'GET', `/v1/messages?limit=1&created_to=${toIso(at)}`)
  return String((page as Readonly<Record<string, unknown>>)['next_cursor'])
}

function statsOf({ until }: Corpus): readonly (readonly [name: string, path: string])[] {
  const stats = (length: Millis, bucket: number): string =>
    `/v1/stats?from=${toIso(later(until, millis(-length)))}&to=${toIso(until)}&bucket=${bucket}`
  return [
    ['stats, a day by hour', stats(DAY, 3_600)],
    ['stats, a day by minute', stats(DAY, 60)],
    ['stats, 30 days by day', stats(millis(30 * DAY), 86_400)],
    ['stats/errors', '/v1/stats/errors'],
    ['stats/errors?dead=true', '/v1/stats/errors?dead=true'],
  ]
}

async function ask(sender: Sender, name: string, path: string): Promise<Asked> {
  const times: number[] = []
  let answer: Readonly<Record<string, unknown>> = {}
  for (let n = 0; n < CALLS; n += 1) {
    const begunAt = performance.now()
    answer = (await call(sender, 'GET', path)) as typeof answer
    times.push(performance.now() - begunAt)
  }
  times.sort((one, other) => one - other)
  const list = answer['items'] ?? answer['buckets']
  const found = Array.isArray(list) ? list.length : 0
  return { name, found, p50: times[Math.floor(times.length / 2)] ?? 0, worst: times.at(-1) ?? 0 }
}
