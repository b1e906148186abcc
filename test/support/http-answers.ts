/**
 * What a provider over HTTP makes of every kind of answer, and of none: a table that is played through its real
 * adapter and a real socket. A row says what the server does and what the outcome must be, in words.
 */
import assert from 'node:assert/strict'
import type { SendOutcome } from '../../src/domain/message/outcome.ts'
import type { Conduct, FakeHttp } from './fake-http.ts'
import { until } from './until.ts'

export type Row = readonly [what: string, conduct: Conduct, words: string]

type World = Readonly<{
  fake: FakeHttp
  /** Makes one attempt. */
  send: (signal: AbortSignal) => Promise<SendOutcome>
  /** What no outcome may tell. */
  secrets: readonly string[]
}>

/** `deferred RATE_LIMITED in 7000 ms`, `rejected message INVALID_NUMBER`. */
export function toWords(outcome: SendOutcome): string {
  const blame = 'blame' in outcome && outcome.blame !== undefined ? ` ${outcome.blame}` : ''
  const code = 'code' in outcome ? ` ${outcome.code}` : ''
  const wait = 'retryAfter' in outcome && outcome.retryAfter > 0 ? ` in ${outcome.retryAfter} ms` : ''
  return outcome.kind + blame + code + wait
}

/** Servers that say nothing more, so that only the caller's own time-out ends the call. */
const SILENT: ReadonlySet<Conduct> = new Set(['hang', 'hang half-way', 'swallow'])

export async function playRow({ fake, send, secrets }: World, [what, conduct, words]: Row): Promise<void> {
  const { length } = fake.heard
  fake.behave(conduct)
  const outcome = await send(SILENT.has(conduct) ? onceHeard(fake) : new AbortController().signal)
  assert.equal(toWords(outcome), words, what)
  assert.ok(fake.heard.length - length <= 1, `${what}: a call is made once`)
  const text = JSON.stringify(outcome)
  for (const secret of secrets) assert.ok(!text.includes(secret), `${what}: ${text}`)
}

/** Times out as soon as the server has read the request, however slow the machine. */
export function onceHeard({ heard }: FakeHttp): AbortSignal {
  const { length } = heard
  const impatience = new AbortController()
  const timeOut = (): void => impatience.abort(new DOMException('too slow', 'TimeoutError'))
  void until('the request', () => heard.length > length, { everyMs: 1 }).then(timeOut, timeOut)
  return impatience.signal
}

/** By status: an error page of the server or of a proxy before it, without a code of the provider. */
const BY_STATUS: readonly (readonly [statuses: readonly number[], words: (status: number) => string])[] = [
  [[500, 501, 502, 503, 505, 506, 507, 508, 510, 511], (status) => `deferred HTTP_${status}`],
  [[521, 522, 523, 525, 526, 530], (status) => `deferred HTTP_${status}`],
  [[504, 520, 524, 598, 599], (status) => `unknown HTTP_${status}`],
  [[301, 307, 308], () => 'rejected provider ENDPOINT_MOVED'],
  [[300, 302, 303, 304], (status) => `unknown HTTP_${status}`],
  [[200, 201, 202, 204, 206], (status) => `unknown HTTP_${status}`],
  [[400, 413, 414, 422], (status) => `rejected message HTTP_${status}`],
  [[401, 402, 403, 404, 405, 409, 410, 415, 451], (status) => `rejected provider HTTP_${status}`],
  [[408, 425], (status) => `deferred HTTP_${status}`],
  [[429], () => 'deferred RATE_LIMITED'],
  [[600, 999], (status) => `unknown HTTP_${status}`],
]

const PAGE = '<html><title>Something happened</title></html>'

export const STATUS_ROWS: readonly Row[] = BY_STATUS.flatMap(([statuses, words]) =>
  statuses.flatMap((status): Row[] => [
    [`${status} without a body`, { status, body: '' }, words(status)],
    [
      `${status} with a page`,
      { status, body: PAGE, headers: { 'content-type': 'text/html', 'retry-after': '7' } },
      words(status).replace(/^deferred.*/, '$& in 7000 ms'),
    ],
  ]),
)

const LARGER_THAN_ANY = 'x'.repeat(9 * 1024 * 1024)

/** What leaves the outcome open: no answer after the request was written, or one that cannot be read. */
export const SILENCE_ROWS: readonly Row[] = [
  ['no answer in time', 'hang', 'unknown TIMEOUT'],
  ['no answer in time, and nothing taken', 'swallow', 'unknown TIMEOUT'],
  ['half an answer in time', 'hang half-way', 'unknown TIMEOUT'],
  ['a connection closed after the request was read', 'hang up', 'unknown CONNECTION_LOST'],
  ['a connection closed in the middle of the answer', 'cut short', 'unknown CONNECTION_LOST'],
  ['a connection reset before the request was read whole', 'reset', 'unknown CONNECTION_LOST'],
  ['an answer that is not HTTP', 'babble', 'unknown INVALID_RESPONSE'],
  ['an empty answer', { raw: '' }, 'unknown CONNECTION_LOST'],
  [
    'another protocol',
    { raw: 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: pigeon\r\n\r\n' },
    'unknown INVALID_RESPONSE',
  ],
  ['an answer larger than any', { status: 201, body: LARGER_THAN_ANY }, 'unknown RESPONSE_TOO_LARGE'],
]
