/** Providers over HTTP: fakes behind real sockets, which every process calls by an adapter of its own. */
import type { Content } from '../../src/domain/message/message.ts'
import type { CallbackRequest, Provider, Receipt } from '../../src/ports/provider.ts'
import { someContext } from '../../src/providers/context.fixture.ts'
import type { OpenedProvider } from '../../src/providers/kind.ts'
import { MESSAGEBIRD } from '../../src/providers/messagebird/messagebird.ts'
import { TWILIO } from '../../src/providers/twilio/twilio.ts'
import { type FakeHttp, type Conduct as HttpConduct, type Said, saying } from '../support/fake-http.ts'
import { openFakeMessageBird, refusal as refusalOfBird, MESSAGEBIRD as TO_BIRD } from '../support/fake-messagebird.ts'
import { openFakeTwilio, refusal as refusalOfTwilio, TWILIO as TO_TWILIO } from '../support/fake-twilio.ts'
import { AN_SMS, NAME, type Outside } from './provider-outside.ts'
import { type Case, CONDUCTS, type Conduct, HANGS } from './provider-table.ts'

type Words = Readonly<Record<'refuses it' | 'blames itself' | 'asks for patience' | 'breaks', Said>>

type Wired = Readonly<{
  content: Content
  fake: FakeHttp
  words: Words
  connect: () => OpenedProvider
  /** The callbacks about everything it took. */
  callbacks: () => readonly CallbackRequest[]
}>

const PATIENCE = { 'retry-after': '7' }
const GATEWAY_TIMEOUT: Said = { status: 504, body: '<html>' }
export const PLACE = someContext({ name: NAME, callbackUrl: 'https://pombo.example/v1/callbacks/one' })
/** An answer that is late is lost; and what was begun to be sent may be there, whenever the line is cut. */
const ELSEWHERE: ReadonlySet<Conduct> = new Set(['answers late', 'hangs up early'])
export const BY_HTTP: readonly Conduct[] = CONDUCTS.filter((conduct) => !ELSEWHERE.has(conduct))
/** Further calls are treated alike. */
const LASTING: ReadonlySet<Conduct> = new Set(['refuses it', 'blames itself', 'is not there'])

export async function meetTwilio({ conduct }: Case): Promise<Outside> {
  const fake = await openFakeTwilio()
  return meet(conduct, {
    content: AN_SMS,
    fake,
    words: {
      'refuses it': refusalOfTwilio(400, 21211),
      'blames itself': refusalOfTwilio(401, 20003),
      'asks for patience': { ...refusalOfTwilio(429, 20429), headers: PATIENCE },
      breaks: refusalOfTwilio(500, 20500),
    },
    connect: () => TWILIO.open({ ...TO_TWILIO, from: '+15005550006', base_url: fake.url }, PLACE),
    callbacks: () => fake.messages.map(({ sid }) => fake.report(sid, 'delivered')),
  })
}

export async function meetMessageBird({ conduct }: Case): Promise<Outside> {
  const fake = await openFakeMessageBird()
  return meet(conduct, {
    content: AN_SMS,
    fake,
    words: {
      'refuses it': refusalOfBird(422, 9, 'recipients'),
      'blames itself': refusalOfBird(402, 25),
      'asks for patience': saying(429, {}, PATIENCE),
      breaks: refusalOfBird(500, 99),
    },
    connect: () => MESSAGEBIRD.open({ ...TO_BIRD, originator: 'Pombo', base_url: fake.url }, PLACE),
    callbacks: () => fake.messages.map(({ id }) => fake.report(id, { status: 'delivered' })),
  })
}

export async function meet(conduct: Conduct, wired: Wired): Promise<Outside> {
  const { content, fake, words, connect, callbacks } = wired
  const heard = (): number => fake.heard.filter(({ method }) => method === 'POST').length
  const known = connect()
  let current = toHttp(conduct, words)
  fake.behave(current)
  if (conduct === 'is not there') await fake.stop()
  return {
    content,
    connect,
    heard,
    hasRead: (_attempt, nth) => heard() >= nth,
    callEnded() {
      if (!LASTING.has(conduct)) current = 'well'
      fake.behave(current)
    },
    async ask(question) {
      // Adapters have more patience with a question than there is time for here.
      if (HANGS.has(conduct)) fake.behave('well')
      const answer = await question()
      fake.behave(current)
      return answer
    },
    taken: async () => (await readAll(known, callbacks())).map(({ ref }) => ref.attempt),
    reports: (_message, reader) => readAll(reader, callbacks()),
    async [Symbol.asyncDispose]() {
      await known[Symbol.asyncDispose]()
      await fake[Symbol.asyncDispose]()
    },
  }
}

export async function readAll(provider: Provider, callbacks: readonly CallbackRequest[]): Promise<readonly Receipt[]> {
  const read = await Promise.all(callbacks.map((request) => provider.readCallback(request)))
  return read.flatMap((receipts) => {
    if (receipts === 'forged') throw new Error('a genuine callback was taken for a forged one')
    return receipts
  })
}

function toHttp(conduct: Conduct, words: Words): HttpConduct {
  switch (conduct) {
    case 'refuses it':
    case 'blames itself':
    case 'asks for patience':
    case 'breaks':
      return words[conduct]
    case 'lets a proxy fail':
      return GATEWAY_TIMEOUT
    case 'takes it':
    case 'is not there':
      return 'well'
    case 'hangs':
      return 'hang'
    case 'answers late':
    case 'hangs up early':
      throw new Error(`nobody ${conduct} over HTTP`)
    case 'hangs half-way':
      return 'hang half-way'
    case 'hangs up':
      return 'hang up'
    case 'babbles':
      return 'babble'
  }
}
