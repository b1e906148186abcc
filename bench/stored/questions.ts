/** What is asked of a gateway that has stored many messages, and how long the first page of each answer takes. */
import type { AccountId, TenantId } from '../../src/domain/ids.ts'
import { openIds } from '../../src/engines/crypto/ids.ts'
import { type Instant, later, type Millis, millis, seconds, toIso } from '../../src/lib/time.ts'
import { measure } from '../measure.ts'
import { call, toHeaders } from '../messages.ts'
import type { Gateway } from '../server.ts'
import { type Corpus, createdAt, providerMessageIdOf, recipientOf } from './messages.ts'

/** In milliseconds. `found` is the number of items on the first page; `calls` is lower if they took too long. */
export type Answered = Readonly<{ name: string; found: number; calls: number; p50: number; p99: number }>

type Question = Readonly<{ name: string; paths: readonly string[] }>

const CALLS = 200
const MAX_SECONDS = 30
const HOUR_SECONDS = 60 * 60
const HOUR = seconds(HOUR_SECONDS)
const DAY_SECONDS = 24 * HOUR_SECONDS
const DAY = seconds(DAY_SECONDS)

/** Filters of `GET /v1/messages` that do not depend on how many messages there are. */
const FILTERS = [
  'limit=50',
  'limit=200',
  'channel=sms',
  'channel=email',
  'status=delivered',
  'status=failed',
  'status=expired',
  'handoff_state=handed_off',
  'handoff_state=failed',
  'handoff_state=queued',
  'provider_state=delivered',
  'provider_state=complaint',
  'provider=simulator',
  'provider=second',
  'provider=nobody',
  'tag=campaign',
  'tag=rare',
  'tag=nothing',
  'lane=transactional',
  'lane=bulk',
  'q=campaign',
  'q=A-500',
  'q=carrier',
  'q=nothing+of+it',
  'unknown=true',
  'status=failed&provider=second',
  'status=failed&tag=campaign&q=order',
]

/** Numbers of messages of the tenant that asks, from all over the corpus. */
const someOf = ({ messages }: Corpus): readonly number[] =>
  Array.from({ length: CALLS }, (_, nth) => 10 * Math.floor((nth * messages) / CALLS / 10))

function questionsOf(corpus: Corpus): readonly Question[] {
  const some = someOf(corpus)
  const { until } = corpus
  const middle = createdAt(corpus, corpus.messages / 2)
  const created = (since: Instant, length: Millis): string =>
    `created_from=${toIso(since)}&created_to=${toIso(later(since, length))}`
  const stats = (days: number, bucket: number): string =>
    `/v1/stats?from=${toIso(later(until, millis(-days * DAY)))}&to=${toIso(until)}&bucket=${bucket}`
  return [
    ...FILTERS.map((filter) => ({ name: `messages?${filter}`, paths: [`/v1/messages?${filter}`] })),
    {
      name: 'messages?to=…',
      paths: some.map((n) => `/v1/messages?to=${encodeURIComponent(recipientOf(corpus, n))}`),
    },
    {
      name: 'messages?provider_message_id=…',
      paths: some.map((n) => `/v1/messages?provider_message_id=${providerMessageIdOf(n)}`),
    },
    { name: 'messages of an hour', paths: [`/v1/messages?${created(middle, HOUR)}`] },
    { name: 'messages of a day, failed', paths: [`/v1/messages?status=failed&${created(middle, DAY)}`] },
    { name: 'dead-letters', paths: ['/v1/dead-letters'] },
    { name: 'stats, a day by hour', paths: [stats(1, HOUR_SECONDS)] },
    { name: 'stats, 30 days by day', paths: [stats(30, DAY_SECONDS)] },
    { name: 'stats/errors', paths: ['/v1/stats/errors'] },
    { name: 'stats/errors?dead=true', paths: ['/v1/stats/errors?dead=true'] },
    { name: 'messages/{id}', paths: some.map((n) => `/v1/messages/${idOf(n)}`) },
  ]
}

const ids = openIds()
const KEY = { tenantId: 'demo' as TenantId, accountId: 'default' as AccountId, namespace: 'messages' } as const
const idOf = (n: number): string => ids.keyedMessageId({ ...KEY, key: `stored-${n}`, generation: 0 })

/** One call at a time. */
export async function askAll(gateway: Gateway, corpus: Corpus): Promise<readonly Answered[]> {
  const answers: Answered[] = []
  for (const question of questionsOf(corpus)) answers.push(await ask(gateway, question))
  return answers
}

async function ask(gateway: Gateway, { name, paths }: Question): Promise<Answered> {
  const first = (await call(gateway, 'GET', paths[0] ?? '')) as Readonly<Record<string, unknown>>
  const { load } = await measure(gateway, {
    request: { method: 'GET', path: paths, headers: toHeaders(gateway.token), body: '' },
    connections: 1,
    pace: { kind: 'closed' },
    warmUpSeconds: 0,
    seconds: MAX_SECONDS,
    requests: CALLS,
  })
  const wrong = Object.keys(load.statuses).filter((status) => status !== '200')
  if (wrong.length > 0) throw new Error(`${name} was answered with ${wrong.join(', ')}`)
  const { p50, p99 } = load.latency
  return { name, found: countOf(first), calls: load.answers, p50, p99 }
}

/** Items of a list, or one message. */
function countOf(answer: Readonly<Record<string, unknown>>): number {
  const list = answer['items'] ?? answer['buckets'] ?? [answer]
  return Array.isArray(list) ? list.length : 0
}
