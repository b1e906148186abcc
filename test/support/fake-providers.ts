/**
 * Fake providers behind their real adapters and real sockets. Each can answer with a transient error, a permanent
 * error, or in a way that leaves the outcome unknown.
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
import { type Behaviour, type FakeHttp, type FakeResponse, jsonResponse } from './fake-http.ts'
import { openFakeMessageBird, refusal as refusalOfBird, MESSAGEBIRD as TO_BIRD } from './fake-messagebird.ts'
import { openFakeSes, refusal as refusalOfSes, SES } from './fake-ses.ts'
import type { Reaction as SmscReaction } from './fake-smsc.ts'
import { openFakeTwilio, refusal as refusalOfTwilio, TWILIO as TO_TWILIO } from './fake-twilio.ts'
import { allUp, openSmppWorld } from './smpp-world.ts'
import type { Point, Reaction } from './smtp-sink.ts'
import { openSmtpWorld } from './smtp-world.ts'
import { until } from './until.ts'

/** What must follow from an answer: a retry, a failure, or an unknown outcome. */
export type OutcomeClass = 'transient' | 'permanent' | 'unknown'

export type FakeProvider = AsyncDisposable &
  Readonly<{
    provider: Provider
    content: Content
    answers: Readonly<Record<OutcomeClass, fc.Arbitrary<unknown>>>
    /** Answers the next call this way and accepts every later one. */
    answerOnce: (answer: unknown) => Promise<void>
    /** The number of calls it has read. */
    calls: () => number
  }>

const CONTEXT = someContext({ name: 'one' as ProviderName })
/** Statuses of a proxy that does not know whether the provider accepted the request. */
const UNKNOWN_STATUSES = [504, 520, 524, 598, 599]

const pages = (statuses: fc.Arbitrary<number>, codes: fc.Arbitrary<FakeResponse['body']>): fc.Arbitrary<FakeResponse> =>
  fc
    .tuple(statuses, fc.oneof(codes, fc.constantFrom('', '{}', 'null', '<html>Oops</html>', '{"code":'), fc.string()))
    .map(([status, body]) => ({ status, body }))

function answersOf(
  codes: fc.Arbitrary<FakeResponse['body']>,
  permanent: readonly FakeResponse[],
): FakeProvider['answers'] {
  const failing = fc.integer({ min: 500, max: 599 }).filter((status) => !UNKNOWN_STATUSES.includes(status))
  return {
    transient: pages(failing, codes),
    permanent: fc.constantFrom(...permanent),
    unknown: fc.oneof(
      pages(fc.constantFrom(...UNKNOWN_STATUSES), codes),
      fc.constantFrom<Behaviour>({ raw: '' }, { raw: 'coo coo\r\n\r\n' }, { status: 200, body: '<html>' }),
    ),
  }
}

function overHttp(
  fake: FakeHttp,
  provider: Provider & AsyncDisposable,
  rest: Pick<FakeProvider, 'content' | 'answers'>,
) {
  const posts = (): number => fake.requests.filter(({ method }) => method === 'POST').length
  return {
    ...rest,
    // The fake behaves normally again as soon as the call is over.
    provider: {
      ...provider,
      send: (...given: Parameters<Provider['send']>) => provider.send(...given).finally(() => fake.behave('well')),
    },
    answerOnce: async (answer: unknown) => fake.behave(answer as Behaviour),
    calls: posts,
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]()
      await fake[Symbol.asyncDispose]()
    },
  }
}

async function openTwilio(): Promise<FakeProvider> {
  const fake = await openFakeTwilio()
  const provider = TWILIO.open({ ...TO_TWILIO, from: '+15005550006', base_url: fake.url }, CONTEXT)
  const codes = fc.nat(70_000).map((code) => JSON.stringify({ code }))
  const permanent = [refusalOfTwilio(400, 21211), refusalOfTwilio(400, 21610), refusalOfTwilio(401, 20003)]
  return overHttp(fake, provider, { content: CONTENT, answers: answersOf(codes, permanent) })
}

async function openMessageBird(): Promise<FakeProvider> {
  const fake = await openFakeMessageBird()
  const provider = MESSAGEBIRD.open({ ...TO_BIRD, originator: 'Pombo', base_url: fake.url }, CONTEXT)
  const codes = fc.nat(100).map((code) => JSON.stringify({ errors: [{ code }] }))
  const permanent = [refusalOfBird(422, 9, 'recipients'), refusalOfBird(402, 25), jsonResponse(403, {})]
  return overHttp(fake, provider, { content: CONTENT, answers: answersOf(codes, permanent) })
}

async function openAmazon(): Promise<FakeProvider> {
  const fake = await openFakeSes()
  const provider = openSes({ ...SES, endpoint: fake.url, max_per_second: 10_000 }, CONTEXT)
  const names = ['InternalFailure', 'ServiceUnavailable', 'MessageRejected', 'SomethingNew']
  const codes = fc.constantFrom(...names).map((name) => JSON.stringify({ __type: name }))
  const permanent = ['MessageRejected', 'BadRequestException', 'MailFromDomainNotVerifiedException']
  const answers = answersOf(
    codes,
    permanent.map((name) => refusalOfSes(400, name)),
  )
  return overHttp(fake, provider, { content: MAIL_CONTENT, answers })
}

async function openMailServer(): Promise<FakeProvider> {
  const world = await openSmtpWorld({ context: CONTEXT })
  const { sink, provider } = world
  type Answer = Readonly<{ point: Point; reaction: Reaction }>
  const at = (points: readonly Point[], reactions: fc.Arbitrary<string>): fc.Arbitrary<Answer> =>
    fc.record({ point: fc.constantFrom(...points), reaction: reactions as fc.Arbitrary<Reaction> })
  // On a reused connection, 421 only means that the server closes this connection.
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
      unknown: at(['end'], fc.constantFrom('hang up')),
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

async function openSmsc(): Promise<FakeProvider> {
  const world = await openSmppWorld({ context: CONTEXT })
  const { smsc, provider } = world
  return {
    provider,
    content: CONTENT,
    answers: {
      transient: fc.constantFrom<SmscReaction>(0x08, 0x45, 0x64, 0x67, 0xff, 0x102, { nack: 0x08 }),
      permanent: fc.constantFrom<SmscReaction>(0x0b, 0x0a, 0x65, 0x66, 0xfe, { nack: 0x03 }),
      unknown: fc.constantFrom<SmscReaction>('hang up'),
    },
    async answerOnce(answer) {
      await until('a session on both sides', async () => (await allUp(provider)) && smsc.bound === 1)
      smsc.react((nth) => (nth === 1 ? (answer as SmscReaction) : 'take'))
    },
    calls: () => smsc.submitted,
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

export const FAKE_PROVIDERS: ReadonlyMap<string, () => Promise<FakeProvider>> = new Map([
  ['Twilio', openTwilio],
  ['MessageBird', openMessageBird],
  ['SES', openAmazon],
  ['a mail server', openMailServer],
  ['an SMSC', openSmsc],
])
