/**
 * The outcome that an HTTP provider must report for every kind of answer, and for none. Each case runs through the real
 * adapter and a real socket.
 */
import assert from 'node:assert/strict'
import type { SendOutcome } from '../../src/domain/message/outcome.ts'
import type { Behaviour, FakeHttp } from './fake-http.ts'
import { until } from './until.ts'

export type AnswerCase = readonly [what: string, behaviour: Behaviour, outcome: string]

type World = Readonly<{
  fake: FakeHttp
  /** Makes one attempt. */
  send: (signal: AbortSignal) => Promise<SendOutcome>
  /** Values that no outcome may contain. */
  secrets: readonly string[]
}>

/** For example `deferred RATE_LIMITED in 7000 ms` or `rejected message INVALID_NUMBER`. */
export function describeOutcome(outcome: SendOutcome): string {
  const blame = 'blame' in outcome && outcome.blame !== undefined ? ` ${outcome.blame}` : ''
  const code = 'code' in outcome ? ` ${outcome.code}` : ''
  const wait = 'retryAfter' in outcome && outcome.retryAfter > 0 ? ` in ${outcome.retryAfter} ms` : ''
  return outcome.kind + blame + code + wait
}

/** Behaviours without an answer: only the caller's timeout ends the call. */
const SILENT: ReadonlySet<Behaviour> = new Set(['hang', 'hang half-way', 'swallow'])

export async function assertOutcome(
  { fake, send, secrets }: World,
  [what, behaviour, expected]: AnswerCase,
): Promise<void> {
  const { length } = fake.requests
  fake.behave(behaviour)
  const outcome = await send(SILENT.has(behaviour) ? timeOutAfterRequest(fake) : new AbortController().signal)
  assert.equal(describeOutcome(outcome), expected, what)
  assert.ok(fake.requests.length - length <= 1, `${what}: called more than once`)
  const text = JSON.stringify(outcome)
  for (const secret of secrets) assert.ok(!text.includes(secret), `${what}: ${text}`)
}

/** Times out as soon as the server has read the request, on a machine of any speed. */
function timeOutAfterRequest({ requests }: FakeHttp): AbortSignal {
  const { length } = requests
  const controller = new AbortController()
  const timeOut = (): void => controller.abort(new DOMException('too slow', 'TimeoutError'))
  void until('the request', () => requests.length > length, { everyMs: 1 }).then(timeOut, timeOut)
  return controller.signal
}

/** By status: an error page of the server or of a proxy in front of it, without an error code of the provider. */
const BY_STATUS: readonly (readonly [statuses: readonly number[], outcome: (status: number) => string])[] = [
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

export const STATUS_CASES: readonly AnswerCase[] = BY_STATUS.flatMap(([statuses, outcome]) =>
  statuses.flatMap((status): AnswerCase[] => [
    [`${status} without a body`, { status, body: '' }, outcome(status)],
    [
      `${status} with a page`,
      { status, body: PAGE, headers: { 'content-type': 'text/html', 'retry-after': '7' } },
      outcome(status).replace(/^deferred.*/, '$& in 7000 ms'),
    ],
  ]),
)

const OVERSIZED_BODY = 'x'.repeat(9 * 1024 * 1024)

/** The outcome is unknown without an answer after the request was written, or with one that cannot be read. */
export const UNKNOWN_OUTCOME_CASES: readonly AnswerCase[] = [
  ['no answer in time', 'hang', 'unknown TIMEOUT'],
  ['no answer in time, and nothing accepted', 'swallow', 'unknown TIMEOUT'],
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
  ['an answer larger than any', { status: 201, body: OVERSIZED_BODY }, 'unknown RESPONSE_TOO_LARGE'],
]
