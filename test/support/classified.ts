/**
 * Real providers, each behind its real adapter and a real socket, that answer as they are told: with an error that
 * passes, with one that does not, or so that the outcome stays open.
 */
import fc from 'fast-check'
import type { ProviderName } from '../../src/domain/ids.ts'
import type { Content } from '../../src/domain/message/message.ts'
import { MAIL_CONTENT } from '../../src/flows/email.fixture.ts'
import { CONTENT } from '../../src/flows/gateway.fixture.ts'
import type { Provider } from '../../src/ports/provider.ts'
import { someContext } from '../../src/providers/context.fixture.ts'
import { MESSAGEBIRD } from '../../src/providers/messagebird/messagebird.ts'
import { openSes } from '../../src/providers/ses/ses.ts'
import { TWILIO } from '../../src/providers/twilio/twilio.ts'
import { type Conduct, type FakeHttp, type Said, saying } from './fake-http.ts'
import { openFakeMessageBird, refusal as refusalOfBird, MESSAGEBIRD as TO_BIRD } from './fake-messagebird.ts'
import { openFakeSes, refusal as refusalOfSes, SES } from './fake-ses.ts'
import type { Reaction as SmscReaction } from './fake-smsc.ts'
import { openFakeTwilio, refusal as refusalOfTwilio, TWILIO as TO_TWILIO } from './fake-twilio.ts'
import { allUp, openSmppWorld } from './smpp-world.ts'
import type { Point, Reaction } from './smtp-sink.ts'
import { openSmtpWorld } from './smtp-world.ts'
import { until } from './until.ts'

/** What an answer must come to: it is tried again, it fails, or nobody knows. */
export type Class = 'transient' | 'permanent' | 'open'

export type Classified = AsyncDisposable &
  Readonly<{
    provider: Provider
    content: Content
    answers: Readonly<Record<Class, fc.Arbitrary<unknown>>>
    /** Answers the next call so, and every call after it well. */
    answerOnce: (answer: unknown) => Promise<void>
    /** How many calls it has read. */
    calls: () => number
  }>

const PLACE = someContext({ name: 'one' as ProviderName })
/** Statuses of a proxy that does not know what the provider did. */
const OPEN_STATUSES = [504, 520, 524, 598, 599]

const pages = (statuses: fc.Arbitrary<number>, codes: fc.Arbitrary<Said['body']>): fc.Arbitrary<Said> =>
  fc
    .tuple(statuses, fc.oneof(codes, fc.constantFrom('', '{}', 'null', '<html>Oops</html>', '{"code":'), fc.string()))
    .map(([status, body]) => ({ status, body }))

function answersOf(codes: fc.Arbitrary<Said['body']>, permanent: readonly Said[]): Classified['answers'] {
  const failing = fc.integer({ min: 500, max: 599 }).filter((status) => !OPEN_STATUSES.includes(status))
  return {
    transient: pages(failing, codes),
    permanent: fc.constantFrom(...permanent),
    open: fc.oneof(
      pages(fc.constantFrom(...OPEN_STATUSES), codes),
      fc.constantFrom<Conduct>({ raw: '' }, { raw: 'coo coo\r\n\r\n' }, { status: 200, body: '<html>' }),
    ),
  }
}

function byHttp(fake: FakeHttp, provider: Provider & AsyncDisposable, rest: Pick<Classified, 'content' | 'answers'>) {
  const posts = (): number => fake.heard.filter(({ method }) => method === 'POST').length
  return {
    ...rest,
    // The fake behaves well again as soon as the call is over, whoever makes the next.
    provider: {
      ...provider,
      send: (...given: Parameters<Provider['send']>) => provider.send(...given).finally(() => fake.behave('well')),
    },
    answerOnce: async (answer: unknown) => fake.behave(answer as Conduct),
    calls: posts,
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]()
      await fake[Symbol.asyncDispose]()
    },
  }
}

async function openTwilio(): Promise<Classified> {
  const fake = await openFakeTwilio()
  const provider = TWILIO.open({ ...TO_TWILIO, from: '+15005550006', base_url: fake.url }, PLACE)
  const codes = fc.nat(70_000).map((code) => JSON.stringify({ code }))
  const permanent = [refusalOfTwilio(400, 21211), refusalOfTwilio(400, 21610), refusalOfTwilio(401, 20003)]
  return byHttp(fake, provider, { content: CONTENT, answers: answersOf(codes, permanent) })
}

async function openMessageBird(): Promise<Classified> {
  const fake = await openFakeMessageBird()
  const provider = MESSAGEBIRD.open({ ...TO_BIRD, originator: 'Pombo', base_url: fake.url }, PLACE)
  const codes = fc.nat(100).map((code) => JSON.stringify({ errors: [{ code }] }))
  const permanent = [refusalOfBird(422, 9, 'recipients'), refusalOfBird(402, 25), saying(403, {})]
  return byHttp(fake, provider, { content: CONTENT, answers: answersOf(codes, permanent) })
}

async function openAmazon(): Promise<Classified> {
  const fake = await openFakeSes()
  const provider = openSes({ ...SES, endpoint: fake.url, max_per_second: 10_000 }, PLACE)
  const names = ['InternalFailure', 'ServiceUnavailable', 'MessageRejected', 'SomethingNew']
  const codes = fc.constantFrom(...names).map((name) => JSON.stringify({ __type: name }))
  const permanent = ['MessageRejected', 'BadRequestException', 'MailFromDomainNotVerifiedException']
  const answers = answersOf(
    codes,
    permanent.map((name) => refusalOfSes(400, name)),
  )
  return byHttp(fake, provider, { content: MAIL_CONTENT, answers })
}

async function openMailServer(): Promise<Classified> {
  const world = await openSmtpWorld({ place: PLACE })
  const { sink, provider } = world
  type Answer = Readonly<{ point: Point; reaction: Reaction }>
  const at = (points: readonly Point[], reactions: fc.Arbitrary<string>): fc.Arbitrary<Answer> =>
    fc.record({ point: fc.constantFrom(...points), reaction: reactions as fc.Arbitrary<Reaction> })
  // On a kept connection 421 only says that this connection is at its end.
  const later = fc.integer({ min: 400, max: 499 }).filter((status) => status !== 421)
  return {
    provider,
    content: MAIL_CONTENT,
    answers: {
      transient: at(
        ['mail', 'rcpt', 'end'],
        later.map((status) => `${status} no`),
      ),
      permanent: at(['rcpt', 'end'], fc.constantFrom('550 5.1.1 no', '554 5.7.1 spam', '550 no', '552 5.3.4 no')),
      open: at(['end'], fc.constantFrom('hang up')),
    },
    async answerOnce(answer) {
      const { point, reaction } = answer as Answer
      for (const one of ['mail', 'rcpt', 'end'] as const) {
        sink.react(one, (nth) => (one === point && nth === 1 ? reaction : 'take'))
      }
    },
    calls: () => sink.reached('mail'),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

async function openSmsc(): Promise<Classified> {
  const world = await openSmppWorld({ place: PLACE })
  const { smsc, provider } = world
  return {
    provider,
    content: CONTENT,
    answers: {
      transient: fc.constantFrom<SmscReaction>(0x08, 0x45, 0x64, 0x67, 0xff, 0x102, { nack: 0x08 }),
      permanent: fc.constantFrom<SmscReaction>(0x0b, 0x0a, 0x65, 0x66, 0xfe, { nack: 0x03 }),
      open: fc.constantFrom<SmscReaction>('hang up'),
    },
    async answerOnce(answer) {
      await until('a session on both sides', async () => (await allUp(provider)) && smsc.bound === 1)
      smsc.react((nth) => (nth === 1 ? (answer as SmscReaction) : 'take'))
    },
    calls: () => smsc.submitted,
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

export const CLASSIFIED: ReadonlyMap<string, () => Promise<Classified>> = new Map([
  ['Twilio', openTwilio],
  ['MessageBird', openMessageBird],
  ['SES', openAmazon],
  ['a mail server', openMailServer],
  ['an SMSC', openSmsc],
])
