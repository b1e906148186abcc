/** HTTP providers: fakes behind real sockets, which every process calls through its own adapter. */
import type { Content } from '../../src/domain/message/message.ts'
import type { CallbackRequest, Provider, Receipt } from '../../src/ports/provider.ts'
import { someContext } from '../../src/providers/context.fixture.ts'
import type { OpenedProvider } from '../../src/providers/kind.ts'
import { MESSAGEBIRD } from '../../src/providers/messagebird/messagebird.ts'
import { TWILIO } from '../../src/providers/twilio/twilio.ts'
import {
  type FakeHttp,
  type FakeResponse,
  type Behaviour as HttpBehaviour,
  jsonResponse,
} from '../support/fake-http.ts'
import { openFakeMessageBird, refusal as refusalOfBird, MESSAGEBIRD as TO_BIRD } from '../support/fake-messagebird.ts'
import { openFakeTwilio, refusal as refusalOfTwilio, TWILIO as TO_TWILIO } from '../support/fake-twilio.ts'
import { BEHAVIOURS, type Behaviour, type Case, HANGS } from './provider-cases.ts'
import { AN_SMS, type ExternalProvider, NAME } from './provider-external.ts'

type Answers = Readonly<Record<'rejects it' | 'rejects us' | 'throttles' | 'answers 500', FakeResponse>>

type HttpProvider = Readonly<{
  content: Content
  fake: FakeHttp
  answers: Answers
  connect: () => OpenedProvider
  /** A callback for everything it accepted. */
  callbacks: () => readonly CallbackRequest[]
}>

const RETRY_AFTER = { 'retry-after': '7' }
const GATEWAY_TIMEOUT: FakeResponse = { status: 504, body: '<html>' }
export const CONTEXT = someContext({ name: NAME, callbackUrl: 'https://pombo.example/v1/callbacks/one' })
/** Over HTTP a late answer is lost, and after any disconnect the outcome is unknown. */
const UNSUPPORTED: ReadonlySet<Behaviour> = new Set(['answers late', 'disconnects early'])
export const HTTP_BEHAVIOURS: readonly Behaviour[] = BEHAVIOURS.filter((behaviour) => !UNSUPPORTED.has(behaviour))
/** Behaviours that apply to later calls too. */
const LASTING: ReadonlySet<Behaviour> = new Set(['rejects it', 'rejects us', 'is unreachable'])

export async function openTwilio({ behaviour }: Case): Promise<ExternalProvider> {
  const fake = await openFakeTwilio()
  return openHttpProvider(behaviour, {
    content: AN_SMS,
    fake,
    answers: {
      'rejects it': refusalOfTwilio(400, 21211),
      'rejects us': refusalOfTwilio(401, 20003),
      throttles: { ...refusalOfTwilio(429, 20429), headers: RETRY_AFTER },
      'answers 500': refusalOfTwilio(500, 20500),
    },
    connect: () => TWILIO.open({ ...TO_TWILIO, from: '+15005550006', base_url: fake.url }, CONTEXT),
    callbacks: () => fake.messages.map(({ sid }) => fake.report(sid, 'delivered')),
  })
}

export async function openMessageBird({ behaviour }: Case): Promise<ExternalProvider> {
  const fake = await openFakeMessageBird()
  return openHttpProvider(behaviour, {
    content: AN_SMS,
    fake,
    answers: {
      'rejects it': refusalOfBird(422, 9, 'recipients'),
      'rejects us': refusalOfBird(402, 25),
      throttles: jsonResponse(429, {}, RETRY_AFTER),
      'answers 500': refusalOfBird(500, 99),
    },
    connect: () => MESSAGEBIRD.open({ ...TO_BIRD, originator: 'Pombo', base_url: fake.url }, CONTEXT),
    callbacks: () => fake.messages.map(({ id }) => fake.report(id, { status: 'delivered' })),
  })
}

export async function openHttpProvider(behaviour: Behaviour, wired: HttpProvider): Promise<ExternalProvider> {
  const { content, fake, answers, connect, callbacks } = wired
  const requestCount = (): number => fake.requests.filter(({ method }) => method === 'POST').length
  const reader = connect()
  let current = toHttp(behaviour, answers)
  fake.behave(current)
  if (behaviour === 'is unreachable') await fake.stop()
  return {
    content,
    connect,
    requestCount,
    hasRead: (_attempt, nth) => requestCount() >= nth,
    callEnded() {
      if (!LASTING.has(behaviour)) current = 'well'
      fake.behave(current)
    },
    async lookUp(question) {
      // The adapters' lookup timeout is longer than this test can wait.
      if (HANGS.has(behaviour)) fake.behave('well')
      const answer = await question()
      fake.behave(current)
      return answer
    },
    acceptedAttempts: async () => (await readAll(reader, callbacks())).map(({ ref }) => ref.attempt),
    reports: (_message, reader) => readAll(reader, callbacks()),
    async [Symbol.asyncDispose]() {
      await reader[Symbol.asyncDispose]()
      await fake[Symbol.asyncDispose]()
    },
  }
}

export async function readAll(provider: Provider, callbacks: readonly CallbackRequest[]): Promise<readonly Receipt[]> {
  const read = await Promise.all(callbacks.map((request) => provider.readCallback(request)))
  return read.flatMap((receipts) => {
    if (receipts === 'forged') throw new Error('a genuine callback was rejected as forged')
    return receipts
  })
}

function toHttp(behaviour: Behaviour, words: Answers): HttpBehaviour {
  switch (behaviour) {
    case 'rejects it':
    case 'rejects us':
    case 'throttles':
    case 'answers 500':
      return words[behaviour]
    case 'answers 504':
      return GATEWAY_TIMEOUT
    case 'accepts it':
    case 'is unreachable':
      return 'well'
    case 'hangs':
      return 'hang'
    case 'answers late':
    case 'disconnects early':
      throw new Error(`"${behaviour}" is not supported over HTTP`)
    case 'hangs midway':
      return 'hang half-way'
    case 'disconnects':
      return 'hang up'
    case 'answers garbage':
      return 'babble'
  }
}
