/** A gateway for flow tests: a manual clock, scripted providers and one worker. */

import type { AccountId, MessageId, ProviderName, RouteId, TenantId, TraceId } from '../domain/ids.ts'
import type { MessageEvent } from '../domain/message/events.ts'
import type { Channel, SmsContent } from '../domain/message/message.ts'
import type { SendOutcome } from '../domain/message/outcome.ts'
import type { PhoneNumber } from '../domain/message/phone-number.ts'
import type { MessageState } from '../domain/message/state.ts'
import type { Worker } from '../domain/message/step.ts'
import type { Route } from '../domain/routing/routing.ts'
import type { Clock } from '../lib/clock.ts'
import { type Instant, instant, later, type Millis, millis, seconds } from '../lib/time.ts'
import type { Engines } from '../ports/engines.ts'
import type { EventLog } from '../ports/event-log.ts'
import type { Attempt, Provider, Receipt } from '../ports/provider.ts'
import type { Disposition, Queue, Taken } from '../ports/queue.ts'
import type { Tenants } from '../ports/tenants.ts'
import type { Ids } from '../ports/world.ts'
import { project } from './admin/project.ts'
import { accept, type Submission } from './send/accept.ts'
import { type DispatchDeps, dispatch } from './send/dispatch.ts'

type Engine = Pick<Engines, 'log' | 'queue' | 'index' | 'indexWriter' | 'breakers' | 'webhookAttempts'>
export type World<Opened extends Engine = Engine> = Readonly<{
  openEngine: (options: { clock: Clock }) => Opened
  ids: Ids
}>

export const START = instant(Date.parse('2030-01-31T12:00:00Z'))
export const TENANT = 'north' as TenantId
export const TRACE = '0af7651916cd43dd8448eb211c80319c' as TraceId

export const CONTENT: SmsContent = {
  channel: 'sms',
  kind: 'sms',
  to: '+5511987654321' as PhoneNumber,
  body: 'Your parcel is on its way.',
  metadata: { order: 'A-17' },
  tags: ['parcel'],
}

export const SUBMISSION: Submission & Readonly<{ content: SmsContent }> = {
  tenantId: TENANT,
  accountId: 'shop' as AccountId,
  lane: 'transactional',
  content: CONTENT,
  form: { encoding: 'gsm7', segments: 1 },
  traceId: TRACE,
}

export const ACCEPTS = { kind: 'accepted', providerMessageId: 'SM1' } as const satisfies SendOutcome
export const REJECTS = {
  kind: 'rejected',
  blame: 'message',
  code: 'INVALID_NUMBER',
  detail: 'none such',
} as const satisfies SendOutcome
export const BLAMES_ITSELF = { ...REJECTS, blame: 'provider', code: 'NO_FUNDS', detail: 'top up' } as const
export const DEFERS = {
  kind: 'deferred',
  code: 'BUSY',
  detail: 'later',
  retryAfter: millis(0),
} as const satisfies SendOutcome
export const OUTCOME_UNKNOWN = { kind: 'unknown', code: 'TIMEOUT', detail: 'no answer' } as const satisfies SendOutcome

/** A provider's response to a call: an outcome, or a function of the attempt. */
export type Answer = SendOutcome | ((attempt: Attempt, signal: AbortSignal) => SendOutcome | Promise<SendOutcome>)
export type FakeProvider = Provider & Readonly<{ calls: Attempt[] }>

/** Gives its answers in order, and throws when none is left. */
export function fakeProvider(
  answers: readonly Answer[],
  {
    name = 'one',
    ...rest
  }: Readonly<{ name?: string } & Pick<Provider, 'lookup' | 'tenants'> & Partial<Pick<Provider, 'capabilities'>>> = {},
): FakeProvider {
  const left = [...answers]
  const calls: Attempt[] = []
  return {
    name: name as ProviderName,
    capabilities: { channels: ['sms'], reports: 'callback' },
    calls,
    async send(attempt, signal) {
      calls.push(attempt)
      const answer = left.shift()
      if (answer === undefined) throw new Error('unexpected provider call')
      return typeof answer === 'function' ? answer(attempt, signal) : answer
    },
    readCallback: async () => 'forged',
    ...rest,
  }
}

export type GatewayOptions = Readonly<{
  providers?: readonly FakeProvider[]
  route?: Partial<Route>
  worker?: Partial<Worker>
  deps?: Partial<DispatchDeps>
}>

export function openGateway<Opened extends Engine>({ openEngine, ids }: World<Opened>, options: GatewayOptions = {}) {
  let now: Instant = START
  const clock: Clock = () => now
  const engine = openEngine({ clock })
  const { log, queue } = engine
  const providers = options.providers ?? [fakeProvider([ACCEPTS])]
  const deps: DispatchDeps & Opened = {
    tenants: UNDESCRIBED,
    ...engine,
    clock,
    ids,
    dice: () => 0.5,
    routes: fixed([{ ...toRoute(providers), ...options.route }, toRoute(providers, 'email')]),
    providers: new Map(providers.map((provider) => [provider.name, provider])),
    worker: { owner: 'me', lease: seconds(60), alone: true, ...options.worker },
    timeout: seconds(10),
    ...options.deps,
  }

  const eventsOf = async (id: MessageId): Promise<readonly MessageEvent[]> =>
    (await log.read(id)).map(({ event }) => event)

  return {
    ...engine,
    deps,
    clock,
    pass: (by: Millis): void => {
      now = later(now, by)
    },
    submit: async (wanted: Partial<Submission> = {}): Promise<MessageId> =>
      (await accept(deps, { ...SUBMISSION, ...wanted })).id,
    take: () => takeDue(queue),
    work: () => work(deps),
    project: () => projectAll(engine),
    eventsOf,
    kindsOf: async (id: MessageId): Promise<string[]> => (await eventsOf(id)).map(({ fact }) => fact.kind),
    stateOf: async (id: MessageId): Promise<MessageState> => stateOf(log, id),
  }
}

export type Gateway = ReturnType<typeof openGateway>

/** No tenant has been described. */
export const UNDESCRIBED: Pick<Tenants, 'of' | 'isLoaded' | 'list'> = {
  of: () => undefined,
  isLoaded: () => true,
  list: () => [],
}

/** The same routes for every tenant. */
export const fixed = (routes: readonly Route[]): DispatchDeps['routes'] => ({ of: () => routes })

function toRoute(providers: readonly Provider[], channel: Channel = 'sms'): Route {
  const [first = 'one' as ProviderName, ...others] = providers.map(({ name }) => name)
  return {
    id: 'r1' as RouteId,
    channel,
    providers: [first, ...others],
    unknown: { wait: seconds(30), policy: 'hold' },
  }
}

/** A job that is due now, or undefined. */
async function takeDue(queue: Queue): Promise<Taken | undefined> {
  const giveUp = new AbortController()
  const taking = queue.take(1, giveUp.signal)
  giveUp.abort()
  const [taken] = await taking
  return taken
}

/** Takes a due job and processes it as the worker loop does; undefined when none is due. */
async function work(deps: DispatchDeps & Engine): Promise<Disposition | undefined> {
  const taken = await takeDue(deps.queue)
  if (taken === undefined) return undefined
  const disposition = await dispatch(deps, taken)
  if (disposition.kind === 'done') await deps.queue.done(taken)
  if (disposition.kind === 'later') await deps.queue.release(taken, disposition.at)
  if (disposition.kind === 'parked') await deps.queue.park(taken, disposition.gate, disposition.until)
  return disposition
}

async function stateOf(log: EventLog, id: MessageId): Promise<MessageState> {
  const latest = await log.latest(id)
  if (latest === undefined) throw new Error('message not found')
  return latest.event.state
}

/** Brings the index up to date with the log, where it does not follow by itself. */
async function projectAll({ log, index, indexWriter }: Engine): Promise<void> {
  if (indexWriter === undefined) return
  const stop = new AbortController()
  const isThrough = async (): Promise<boolean> => (await index.position()) === (await log.tip())
  const rest = async (): Promise<void> => {
    if (await isThrough()) stop.abort()
  }
  if (!(await isThrough())) await project({ log, index: { ...index, ...indexWriter }, rest }, stop.signal)
}

/** A provider's report on the newest attempt. */
export const receiptOf = (
  { id: messageId, cycle, attempt }: MessageState,
  state: Receipt['state'],
  wanted: Partial<Receipt> = {},
): Receipt => ({
  ref: { messageId, cycle, attempt },
  providerMessageId: 'SM1',
  state,
  reportId: `${state} 1`,
  ...wanted,
})

/** A job for a message that was not taken from the queue. */
export const jobFor = (messageId: MessageId): Taken => ({
  job: { messageId, tenantId: TENANT, lane: 'transactional' },
  leaseToken: -1,
})

/** Dispatches a message as a worker of another process. */
export const asOther = async (deps: DispatchDeps, id: MessageId, alone = true): Promise<Disposition> =>
  dispatch({ ...deps, worker: { ...deps.worker, owner: 'other', alone } }, jobFor(id))

/** A provider that responds when `answer` is called; `called` resolves at the call. */
export function slowProvider() {
  const called = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<SendOutcome>()
  const provider = fakeProvider([
    () => {
      called.resolve()
      return answer.promise
    },
  ])
  return { provider, called: called.promise, answer: answer.resolve }
}

/** A log with a concurrent write just before its first append. */
export function overtaken(log: EventLog, rival: () => Promise<unknown>): EventLog {
  let isFirst = true
  return {
    ...log,
    async append(entry) {
      if (isFirst) {
        isFirst = false
        await rival()
      }
      return log.append(entry)
    },
  }
}
