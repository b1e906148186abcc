/** Why a message stands where it stands: what happened in its newest cycle, and what holds now. */
import type { Instant } from '../../lib/time.ts'
import type { MessageEvent } from '../message/events.ts'
import { providerOf } from './attempts.ts'
import { type Circumstances, isUp, type ProviderStanding } from './circumstances.ts'
import type { Situation } from './situation.ts'
import { obstacleOf, whyNoRoute } from './summary.ts'
import { toClause, toCount, toSpan, toTime } from './words.ts'

/** Without a time it holds now. */
export type Reason = Readonly<{
  text: string
  at?: Instant
  eventType?: string
  provider?: string
  errorCode?: string
}>

/** Of the newest cycle. A message has few more, and the timeline has them all. */
const MOST_EVENTS = 30

export function reasonsOf(situation: Situation, circumstances: Circumstances): readonly Reason[] {
  const { state, events } = circumstances
  const own = events.filter(({ cycle, fact }) => cycle === state.cycle || fact.kind === 'MessageErased')
  const told = own.slice(-MOST_EVENTS).flatMap((event) => ofEvent(event, circumstances))
  return [...earlierCycles(circumstances), ...told, ...ofNow(situation, circumstances)]
}

function earlierCycles({ state, events }: Circumstances): readonly Reason[] {
  const delivered = events.find(({ cycle, fact }) => cycle < state.cycle && fact.kind === 'ProviderDelivered')
  if (delivered === undefined) return []
  const text = `Cycle ${delivered.cycle} was delivered too, so the recipient may have received it more than once.`
  return [{ text, at: delivered.at, eventType: delivered.fact.kind }]
}

function ofEvent(event: MessageEvent, circumstances: Circumstances): readonly Reason[] {
  const text = textOf(event, circumstances)
  if (text === undefined) return []
  const { fact, at } = event
  const provider = event.attempt === 0 ? undefined : providerOf(circumstances.events, event)
  const errorCode = 'code' in fact ? fact.code : undefined
  return [{ text, at, eventType: fact.kind, ...(provider && { provider }), ...(errorCode && { errorCode }) }]
}

/** Undefined for what another reason tells. */
function textOf(event: MessageEvent, circumstances: Circumstances): string | undefined {
  const { fact, attempt, cycle } = event
  const provider = providerOf(circumstances.events, event) ?? 'the provider'
  switch (fact.kind) {
    case 'MessageCreated':
      return 'Pombo accepted and stored the message.'
    case 'MessageValidated':
      return undefined
    case 'ValidationFailed':
      return `It failed the check before sending: ${toClause(fact.code, false)}.`
    case 'HandoffAttempted':
      return isOpen(event, circumstances) ? `Attempt ${attempt} called ${provider}.` : undefined
    case 'HandoffAccepted':
      return ACCEPTED_BY[fact.by](provider, attempt)
    case 'HandoffUnknown':
      return `Attempt ${attempt} with ${provider} has an unknown outcome: ${toClause(fact.code, true)}.`
    case 'RetryScheduled':
      return retried(event, fact, provider)
    case 'HandoffFailed':
      if (fact.resolvedBy !== undefined) return 'A person recorded that the provider does not have it.'
      return attempt === 0 || !isOfCall(event, circumstances)
        ? `It failed before a provider was called: ${toClause(fact.code, false)}.`
        : `${provider} refused attempt ${attempt} for good: ${toClause(fact.code, false)}.`
    case 'DeadLettered':
      return fact.outcome === undefined && attempt > 0 && isOfCall(event, circumstances)
        ? `Attempt ${attempt} with ${provider} failed: ${toClause(fact.code, false)}; it became a dead letter.`
        : `It became a dead letter: ${toClause(fact.code, false)}.`
    case 'MessageExpired':
      return 'Its expires_at passed before a provider took it.'
    case 'ResendRequested':
      return `${RESENT_BY[fact.by]}: cycle ${cycle} began.`
    case 'MessageErased':
      return fact.kept === 'recipient'
        ? 'Its content was erased, because its one-time code has ended.'
        : 'Its content and recipient were erased.'
    default:
      return reported(fact, provider)
  }
}

const ACCEPTED_BY = {
  answer: (provider: string, attempt: number): string => `${provider} accepted attempt ${attempt}.`,
  receipt: (provider: string, attempt: number): string =>
    `A report of ${provider} shows that it has attempt ${attempt}.`,
  lookup: (provider: string, attempt: number): string => `${provider} said when asked that it has attempt ${attempt}.`,
  person: (provider: string): string => `A person recorded that ${provider} has it.`,
}

const RESENT_BY = {
  resend: 'It was resent',
  replay: 'It was replayed from the dead letters',
  person: 'A person resolved the unknown outcome by sending it again',
} as const

type FactOf<Kind extends MessageEvent['fact']['kind']> = Extract<MessageEvent['fact'], { kind: Kind }>

/** The newest attempt, while its provider is called. */
const isOpen = ({ attempt }: MessageEvent, { state }: Circumstances): boolean =>
  state.attempt === attempt && state.phase === 'open'

/** Whether the event ended a call: what comes right after the begin of its attempt. */
function isOfCall({ id, cycle, attempt }: MessageEvent, { events }: Circumstances): boolean {
  const own = events.filter((event) => event.cycle === cycle && event.attempt === attempt)
  const before = own[own.findIndex((event) => event.id === id) - 1]
  return before?.fact.kind === 'HandoffAttempted' || before?.fact.kind === 'HandoffUnknown'
}

function retried({ attempt }: MessageEvent, fact: FactOf<'RetryScheduled'>, provider: string): string {
  if (fact.resolvedBy !== undefined) return 'A person decided to send it again, although it may arrive twice.'
  const { exclude, avoid, uncounted, retryAfterSeconds } = fact
  const then = [
    ...(exclude === undefined ? [] : [`${exclude} is not tried again in this cycle`]),
    ...(avoid === undefined ? [] : ['another provider of the route takes over']),
    ...(uncounted === true ? ['this attempt does not count'] : []),
    ...(retryAfterSeconds === undefined ? [] : [`the provider asked to wait ${toSpan(retryAfterSeconds * 1000)}`]),
  ]
  return `${[`Attempt ${attempt} with ${provider} failed: ${toClause(fact.code, true)}`, ...then].join('; ')}.`
}

type ReportedFact = FactOf<
  | 'ProviderAccepted'
  | 'ProviderDelivered'
  | 'ProviderBounced'
  | 'ProviderDropped'
  | 'ProviderComplaint'
  | 'ProviderTimedOut'
>

function reported({ kind, code }: ReportedFact, provider: string): string {
  const why = code === undefined ? '' : `: ${toClause(code, false)}`
  switch (kind) {
    case 'ProviderAccepted':
      return `${provider} reported that the message is on its way.`
    case 'ProviderDelivered':
      return `${provider} reported the delivery.`
    case 'ProviderBounced':
      return `${provider} reported that it bounced${why}.`
    case 'ProviderDropped':
      return `${provider} reported that it was not delivered${why}.`
    case 'ProviderComplaint':
      return `${provider} reported a complaint of the recipient.`
    case 'ProviderTimedOut':
      return `No delivery report of ${provider} arrived in time.`
  }
}

/** What keeps a message in progress from being sent, beyond its own events. */
function ofNow(situation: Situation, circumstances: Circumstances): readonly Reason[] {
  const { state, lane } = circumstances
  switch (situation) {
    case 'tenant_suspended':
      return [{ text: 'An operator has suspended the tenant.' }]
    case 'no_route':
      return [{ text: `A route is missing: ${whyNoRoute(circumstances)}.` }]
    case 'no_provider':
    case 'retry_scheduled':
    case 'waiting_for_account':
      return notUp(circumstances)
    case 'queued':
      if (lane === undefined || lane.ready <= 1) return notUp(circumstances)
      return [
        ...notUp(circumstances),
        { text: `${toCount(lane.ready)} messages of the tenant are due in the lane ${state.lane}.` },
      ]
    default:
      return []
  }
}

const notUp = ({ providers, now }: Circumstances): readonly Reason[] =>
  providers.filter((provider) => !isUp(provider)).map((provider) => toObstacle(provider, now))

const toObstacle = (provider: ProviderStanding, now: Instant): Reason => ({
  text: `${provider.name} cannot be called: ${obstacleOf(provider, (time) => toTime(time, now))}.`,
  provider: provider.name,
})
