/**
 * A mail server, to which every process opens its own connections. It has no lookup, and its bounce mails contain our
 * reference.
 */
import { parseReference } from '../../src/domain/message/attempt-reference.ts'
import type { CallbackRequest } from '../../src/ports/provider.ts'
import { someContext } from '../../src/providers/context.fixture.ts'
import type { OpenedProvider } from '../../src/providers/kind.ts'
import { openSmtp } from '../../src/providers/smtp/smtp.ts'
import { DELIVERED, messageIdOf, reportOn } from '../support/dsn.ts'
import { openSmtpSink, type Point, type Reaction, type SinkMail } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'
import type { Behaviour, Case } from './provider-cases.ts'
import { A_MAIL, type ExternalProvider, NAME } from './provider-external.ts'
import { readAll } from './provider-http.ts'

type PointReaction = Readonly<{ at: Point; reaction: Reaction }>

const TAKES: PointReaction = { at: 'end', reaction: 'take' }
const REACTIONS: ReadonlyMap<Behaviour, PointReaction> = new Map<Behaviour, PointReaction>([
  ['accepts it', TAKES],
  ['rejects it', { at: 'rcpt', reaction: '550 5.1.1 nobody of that name' }],
  ['rejects us', { at: 'mail', reaction: '530 5.7.0 and who are you' }],
  ['throttles', { at: 'end', reaction: '451 4.3.0 not now' }],
  ['hangs', { at: 'end', reaction: 'hold' }],
  ['answers late', { at: 'end', reaction: 'hold' }],
  ['disconnects early', { at: 'rcpt', reaction: 'hang up' }],
  ['disconnects', { at: 'end', reaction: 'hang up' }],
  ['is unreachable', TAKES],
])
export const SMTP_BEHAVIOURS: readonly Behaviour[] = [...REACTIONS.keys()]
const LASTING: ReadonlySet<Behaviour> = new Set(['rejects it', 'rejects us'])

const SECRET = 'only-the-postmaster-knows'
const SETTINGS = { host: '127.0.0.1', tls: 'none', from: 'no-reply@acme.example', bounce_secret: SECRET } as const

export async function openMailServer({ behaviour, policy }: Case): Promise<ExternalProvider> {
  const sink = await openSmtpSink()
  const { at, reaction } = REACTIONS.get(behaviour) ?? TAKES
  const connected = new Set<OpenedProvider>()
  let reportCount = 0
  sink.react(at, reaction)
  if (behaviour === 'is unreachable') await sink.stop()
  /** The sink also records a mail that it refused afterwards. */
  const taken = (): readonly SinkMail[] => sink.mails.slice(behaviour === 'throttles' ? 1 : 0)
  async function releaseAnswer(provider: OpenedProvider): Promise<void> {
    if (!connected.has(provider)) return
    sink.release()
    await until('the late answer', () => reportCount > 0)
  }
  return {
    content: A_MAIL,
    connect({ sends, report }) {
      const context = someContext({
        name: NAME,
        sends,
        // Reports of a crashed process are lost.
        report: async (receipt) => {
          if (!connected.has(provider)) return
          await report(receipt)
          reportCount += 1
        },
      })
      const provider = openSmtp({ ...SETTINGS, port: sink.port }, context, 0)
      connected.add(provider)
      return {
        ...provider,
        async send(attempt, signal) {
          const outcome = await provider.send(attempt, signal)
          // The virtual clock is so fast that without this the message would be resent before the late answer.
          if (behaviour === 'answers late' && policy === 'resend' && outcome.kind === 'unknown')
            await releaseAnswer(provider)
          return outcome
        },
      }
    },
    hasRead: (_attempt, nth) => sink.reached('end') >= nth,
    requestCount: () => sink.reached('mail'),
    callEnded() {
      if (!LASTING.has(behaviour)) sink.react(at, 'take')
      if (behaviour === 'answers late') sink.release()
    },
    async processDied() {
      const dead = [...connected]
      connected.clear()
      sink.hangUp()
      await Promise.all(dead.map((provider) => provider[Symbol.asyncDispose]()))
      await until('the end of every connection', () => sink.connected === 0)
    },
    lookUp: (question) => question(),
    acceptedAttempts: async () => taken().map(attemptOf),
    reports: (_message, reader) => readAll(reader, taken().map(toCallback)),
    [Symbol.asyncDispose]: () => sink.stop(),
  }
}

function attemptOf({ raw }: SinkMail): number {
  const [reference = ''] = messageIdOf(raw).split('@')
  return parseReference(reference)?.attempt ?? 0
}

const toCallback = (mail: SinkMail): CallbackRequest => ({
  method: 'POST',
  url: 'https://pombo.example/v1/callbacks/one',
  headers: new Headers({ authorization: `Bearer ${SECRET}`, 'content-type': 'message/rfc822' }),
  body: reportOn(mail, DELIVERED),
})
