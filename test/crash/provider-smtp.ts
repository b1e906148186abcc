/**
 * A mail server, to which every process opens connections of its own. It cannot be asked; what it reports, by mail,
 * names the attempt.
 */
import { parseReference } from '../../src/domain/message/attempt-reference.ts'
import type { CallbackRequest } from '../../src/ports/provider.ts'
import { someContext } from '../../src/providers/context.fixture.ts'
import type { OpenedProvider } from '../../src/providers/kind.ts'
import { openSmtp } from '../../src/providers/smtp/smtp.ts'
import { DELIVERED, messageIdOf, reportOn } from '../support/dsn.ts'
import { openSmtpSink, type Point, type Reaction, type SinkMail } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'
import { readAll } from './provider-http.ts'
import { A_MAIL, NAME, type Outside } from './provider-outside.ts'
import type { Case, Conduct } from './provider-table.ts'

type Stance = Readonly<{ at: Point; reaction: Reaction }>

const TAKES: Stance = { at: 'end', reaction: 'take' }
const STANCES: ReadonlyMap<Conduct, Stance> = new Map<Conduct, Stance>([
  ['takes it', TAKES],
  ['refuses it', { at: 'rcpt', reaction: '550 5.1.1 nobody of that name' }],
  ['blames itself', { at: 'mail', reaction: '530 5.7.0 and who are you' }],
  ['asks for patience', { at: 'end', reaction: '451 4.3.0 not now' }],
  ['hangs', { at: 'end', reaction: 'hold' }],
  ['answers late', { at: 'end', reaction: 'hold' }],
  ['hangs up early', { at: 'rcpt', reaction: 'hang up' }],
  ['hangs up', { at: 'end', reaction: 'hang up' }],
  ['is not there', TAKES],
])
export const BY_SMTP: readonly Conduct[] = [...STANCES.keys()]
const LASTING: ReadonlySet<Conduct> = new Set(['refuses it', 'blames itself'])

const SECRET = 'only-the-postmaster-knows'
const SETTINGS = { host: '127.0.0.1', tls: 'none', from: 'no-reply@acme.example', bounce_secret: SECRET } as const

export async function meetMailServer({ conduct, policy }: Case): Promise<Outside> {
  const sink = await openSmtpSink()
  const { at, reaction } = STANCES.get(conduct) ?? TAKES
  const connected = new Set<OpenedProvider>()
  let proofs = 0
  sink.react(at, reaction)
  if (conduct === 'is not there') await sink.stop()
  /** It keeps what it was given, also where it then said no. */
  const taken = (): readonly SinkMail[] => sink.mails.slice(conduct === 'asks for patience' ? 1 : 0)
  async function prove(provider: OpenedProvider): Promise<void> {
    if (!connected.has(provider)) return
    sink.release()
    await until('the late answer', () => proofs > 0)
  }
  return {
    content: A_MAIL,
    connect({ sends, report }) {
      const place = someContext({
        name: NAME,
        sends,
        // Nobody hears a process that is dead.
        report: async (receipt) => {
          if (!connected.has(provider)) return
          await report(receipt)
          proofs += 1
        },
      })
      const provider = openSmtp({ ...SETTINGS, port: sink.port }, place, 0)
      connected.add(provider)
      return {
        ...provider,
        async send(attempt, signal) {
          const outcome = await provider.send(attempt, signal)
          // Our clock runs so fast that no late answer would come before the message is sent again.
          if (conduct === 'answers late' && policy === 'resend' && outcome.kind === 'unknown') await prove(provider)
          return outcome
        },
      }
    },
    hasRead: (_attempt, nth) => sink.reached('end') >= nth,
    heard: () => sink.reached('mail'),
    callEnded() {
      if (!LASTING.has(conduct)) sink.react(at, 'take')
      if (conduct === 'answers late') sink.release()
    },
    async processDied() {
      const dead = [...connected]
      connected.clear()
      sink.hangUp()
      await Promise.all(dead.map((provider) => provider[Symbol.asyncDispose]()))
      await until('the end of every connection', () => sink.connected === 0)
    },
    ask: (question) => question(),
    taken: async () => taken().map(attemptOf),
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
