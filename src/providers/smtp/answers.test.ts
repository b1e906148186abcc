/** Every reply that the table of SMTP knows, and every way to get none, through the adapter and a real socket. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { REPLIES_BY_CODE, REPLIES_OF_SERVERS, type ReplyRow } from '../../../test/support/smtp-replies.ts'
import { openSmtpSink, type Point, type Reaction, type SmtpSink } from '../../../test/support/smtp-sink.ts'
import { until } from '../../../test/support/until.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import type { OpenedProvider } from '../kind.ts'
import { privateWords, someMailAttempt } from '../mail.fixture.ts'
import { someContext } from '../place.fixture.ts'
import { BY_ENHANCED, LATER_BY_ENHANCED, type SmtpCommand } from './errors.ts'
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

/** By a connection of its own, unless a provider is given that may keep one. */
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

/** Whether a connection that is kept does as well: no other is taken after a 421, and nothing is slowed down. */
const mayBeKept = (command: SmtpCommand, text: string, words: string): boolean =>
  command !== 'connect' && command !== 'auth' && !text.startsWith('421') && !words.includes('RATE_LIMITED')

/** The sink says a reply in one line. */
const inOneLine = (text: string): text is Reaction & string => !text.includes('\n') && !/^\d{3}-/.test(text)

describe('what a mail server says means', { timeout: 120_000 }, async () => {
  const sink = await openSmtpSink(LOGIN)
  after(() => sink.stop())
  const kept = open(sink)
  after(() => kept[Symbol.asyncDispose]())
  for (const [server, command, text, words] of ROWS) {
    if (!inOneLine(text)) continue
    test(`${words} by "${text}" of ${server} server at ${command}`, async () => {
      const provider = mayBeKept(command, text, words) ? { provider: kept } : {}
      assert.equal(await play(sink, POINTS[command], text, provider), words)
    })
  }

  test('every enhanced code of the table is in this one', () => {
    const codes = [...BY_ENHANCED.keys(), ...LATER_BY_ENHANCED.keys()]
    assert.deepEqual(
      codes.filter((code) => !ROWS.some(([, , text]) => text.slice(4).startsWith(`${code} `))),
      [],
    )
  })

  for (const command of ['mail', 'rcpt', 'data'] as const) {
    test(`deferred by any 4xx at ${command}`, async () => {
      for (let status = 400; status < 500; status += 1) {
        if (status === 421) continue
        const words = await play(sink, POINTS[command], `${status} no` as Reaction, { provider: kept })
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
    test(`${words} where it hangs up at ${point}`, async () => {
      assert.equal(await play(sink, point, 'hang up'), words)
    })
  }

  for (const [point, words] of [
    ['mail', 'deferred TIMEOUT'],
    ['rcpt', 'deferred TIMEOUT'],
    ['end', 'unknown TIMEOUT'],
  ] as const) {
    test(`${words} where it is silent at ${point}`, async () => {
      const impatience = new AbortController()
      const reached = sink.reached(point)
      void until('the server to be asked', () => sink.reached(point) > reached).then(() => impatience.abort())
      assert.equal(await play(sink, point, 'hold', { signal: impatience.signal }), words)
      sink.release()
    })
  }

  for (const [point, words] of [
    ['mail', 'deferred ANSWER_GARBLED'],
    ['end', 'unknown ANSWER_GARBLED'],
  ] as const) {
    test(`${words} by what is no reply at ${point}`, async () => {
      assert.equal(await play(sink, point, '699 what' as Reaction), words)
    })
  }

  test('deferred NOT_CONNECTED where nothing listens', async () => {
    await sink.stop()
    assert.equal(await play(sink, 'connect', 'take'), 'deferred NOT_CONNECTED')
  })
})
