/** Every reply of the SMTP table and every missing reply, through the provider and a real socket. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { REPLIES_BY_CODE, REPLIES_OF_SERVERS, type ReplyRow } from '../../../test/support/smtp-replies.ts'
import { openSmtpSink, type Point, type Reaction, type SmtpSink } from '../../../test/support/smtp-sink.ts'
import { until } from '../../../test/support/until.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import { someContext } from '../context.fixture.ts'
import type { OpenedProvider } from '../kind.ts'
import { privateWords, someMailAttempt } from '../mail.fixture.ts'
import { BY_ENHANCED, DEFERRALS_BY_ENHANCED, type SmtpCommand } from './errors.ts'
import { openSmtp } from './smtp.ts'

const POINTS = { connect: 'connect', auth: 'auth', mail: 'mail', rcpt: 'rcpt', data: 'end' } as const satisfies Record<
  SmtpCommand,
  Point
>
const LOGIN = { user: 'acme', password: 'a-secret' }
const SETTINGS = { host: '127.0.0.1', tls: 'none', from: 'Acme <no-reply@acme.example>', ...LOGIN } as const

function toWords(outcome: SendOutcome): string {
  const blame = 'blame' in outcome && outcome.blame !== undefined ? ` ${outcome.blame}` : ''
  const suppresses = 'suppresses' in outcome && outcome.suppresses !== undefined ? ', suppresses' : ''
  return outcome.kind + blame + ('code' in outcome ? ` ${outcome.code}` : '') + suppresses
}

type Given = Readonly<{ provider?: OpenedProvider; signal?: AbortSignal }>

const open = (sink: SmtpSink) => openSmtp({ ...SETTINGS, port: sink.port }, someContext(), 0)

/** Uses a new connection, unless a provider is given. */
async function play(sink: SmtpSink, point: Point, reaction: Reaction, given: Given = {}) {
  sink.react(point, (nth) => (nth === 1 ? reaction : 'take'))
  const { received } = sink
  await using fresh = open(sink)
  const { provider = fresh, signal = AbortSignal.timeout(30_000) } = given
  const attempt = someMailAttempt()
  const outcome = await provider.send(attempt, signal)
  sink.react(point, 'take')
  const text = JSON.stringify(outcome)
  for (const word of privateWords(attempt.content)) assert.ok(!text.includes(word), text)
  assert.ok(sink.received - received <= 1, 'a mail is sent once')
  return toWords(outcome)
}

const ROWS: readonly ReplyRow[] = [...REPLIES_BY_CODE, ...REPLIES_OF_SERVERS]

/** Whether the test may reuse a connection: a 421 would replace it, and throttling would slow it down. */
const mayReuse = (command: SmtpCommand, text: string, words: string): boolean =>
  command !== 'connect' && command !== 'auth' && !text.startsWith('421') && !words.includes('RATE_LIMITED')

/** The fake server sends a reply on one line. */
const inOneLine = (text: string): text is Reaction & string => !text.includes('\n') && !/^\d{3}-/.test(text)

describe('replies of a mail server', { timeout: 120_000 }, async () => {
  const sink = await openSmtpSink(LOGIN)
  after(() => sink.stop())
  const shared = open(sink)
  after(() => shared[Symbol.asyncDispose]())
  for (const [server, command, text, words] of ROWS) {
    if (!inOneLine(text)) continue
    test(`"${text}" of ${server} server at ${command}: ${words}`, async () => {
      const provider = mayReuse(command, text, words) ? { provider: shared } : {}
      assert.equal(await play(sink, POINTS[command], text, provider), words)
    })
  }

  test('the replies above cover every enhanced code of the table', () => {
    const codes = [...BY_ENHANCED.keys(), ...DEFERRALS_BY_ENHANCED.keys()]
    assert.deepEqual(
      codes.filter((code) => !ROWS.some(([, , text]) => text.slice(4).startsWith(`${code} `))),
      [],
    )
  })

  for (const command of ['mail', 'rcpt', 'data'] as const) {
    test(`any 4xx at ${command}: deferred`, async () => {
      for (let status = 400; status < 500; status += 1) {
        if (status === 421) continue
        const words = await play(sink, POINTS[command], `${status} no` as Reaction, { provider: shared })
        assert.match(words, /^deferred /, `${status}`)
      }
    })
  }

  for (const [point, words] of [
    ['connect', 'deferred NOT_CONNECTED'],
    ['auth', 'deferred NOT_CONNECTED'],
    ['mail', 'deferred CONNECTION_LOST'],
    ['rcpt', 'deferred CONNECTION_LOST'],
    ['end', 'unknown CONNECTION_LOST'],
  ] as const) {
    test(`connection closed at ${point}: ${words}`, async () => {
      assert.equal(await play(sink, point, 'hang up'), words)
    })
  }

  for (const [point, words] of [
    ['mail', 'deferred TIMEOUT'],
    ['rcpt', 'deferred TIMEOUT'],
    ['end', 'unknown TIMEOUT'],
  ] as const) {
    test(`no reply at ${point}: ${words}`, async () => {
      const controller = new AbortController()
      const reached = sink.reached(point)
      void until('the server to reach that point', () => sink.reached(point) > reached).then(() => controller.abort())
      assert.equal(await play(sink, point, 'hold', { signal: controller.signal }), words)
      sink.release()
    })
  }

  for (const [point, words] of [
    ['mail', 'deferred INVALID_RESPONSE'],
    ['end', 'unknown INVALID_RESPONSE'],
  ] as const) {
    test(`an invalid reply at ${point}: ${words}`, async () => {
      assert.equal(await play(sink, point, '699 what' as Reaction), words)
    })
  }

  test('no server: deferred NOT_CONNECTED', async () => {
    await sink.stop()
    assert.equal(await play(sink, 'connect', 'take'), 'deferred NOT_CONNECTED')
  })
})
