/** The configured providers, their circuit breakers and recent results. */
import { type Static, Type } from 'typebox'
import type { Caller } from '../../domain/access/caller.ts'
import type { ProviderName } from '../../domain/ids.ts'
import { BREAKER_STATES, type Breaker, CLOSED, toBreakerState } from '../../domain/routing/breaker.ts'
import { usableProviders } from '../../flows/access/usable-providers.ts'
import { type Refusal, refuse } from '../../flows/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Instant, toIso } from '../../lib/time.ts'
import type { Breakers } from '../../ports/breakers.ts'
import type { MessageIndex } from '../../ports/message-index.ts'
import type { Provider } from '../../ports/provider.ts'
import type { Tenants } from '../../ports/tenants.ts'
import { allows, type Guard } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { Enums } from '../http/enums.ts'
import { listOf, namedObject, nullable, responses, Time } from '../http/schemas.ts'
import { RecentRates, recentRates } from './recent-rates.ts'

export type ProvidersDeps = Readonly<{
  providers: ReadonlyMap<ProviderName, Provider>
  breakers: Breakers
  index: MessageIndex
  tenants: Pick<Tenants, 'of'>
  clock: Clock
  guard: Guard
}>

export function providerRoutes(app: Api, deps: ProvidersDeps): void {
  const { breakers, index, clock, guard } = deps
  app.get('/v1/providers', { schema: LIST, onRequest: guard('messages:read') }, async (request) => {
    const [states, now] = [breakers.states(), clock()]
    const caller = callerOf(request)
    const rates = await recentRates(index, caller.tenantId, now)
    const items = providersFor(deps, caller).map((provider) => ({
      ...toView(provider),
      breaker: toBreakerView(states.get(provider.name) ?? CLOSED, now),
      recent: rates?.(provider.name) ?? null,
    }))
    return { items }
  })
}

/** Operators see them all, because their breakers concern every tenant. */
const providersFor = (deps: ProvidersDeps, caller: Caller): readonly Provider[] =>
  allows(caller, 'operator') ? [...deps.providers.values()] : usableProviders(deps, caller.tenantId)

function toView({ name, capabilities: { channels, reports, users, simulated }, lookup, connections }: Provider) {
  const can = { lookup: lookup !== undefined, users: users === true, simulated: simulated === true }
  return { name, channels, reports, ...can, connections: connections?.() ?? null }
}

/** Names of providers are not secret: `GET /v1/providers` lists them. */
export const unknownProvider = (name: string): Refusal => refuse('NOT_FOUND', `No provider named ${name} is configured`)

export function toBreakerView(breaker: Breaker, now: Instant): Static<typeof BreakerView> {
  const times = breaker.kind === 'closed' ? undefined : breaker
  const state = toBreakerState(breaker, now)
  const pausedAt = breaker.kind === 'open' && state === 'open' ? breaker.pausedAt : undefined
  return {
    state,
    consecutive_failures: breaker.failures,
    opened_at: times === undefined ? null : toIso(times.openedAt),
    retry_at: times === undefined ? null : toIso(times.retryAt),
    paused_at: pausedAt === undefined ? null : toIso(pausedAt),
  }
}

export const BreakerView = namedObject('CircuitBreaker', {
  state: Type.Enum(BREAKER_STATES, {
    title: 'CircuitBreakerState',
    description:
      '`closed`: the provider is used. `open`: it failed too many times in a row, or an operator paused it, and is not called. `half_open`: one trial call is made.',
  }),
  consecutive_failures: Type.Integer({ examples: [0] }),
  opened_at: nullable(Type.Unsafe<string>({ ...Time, description: 'Since when it has not been closed.' })),
  retry_at: nullable(Type.Unsafe<string>({ ...Time, description: 'When the next trial call may be made.' })),
  paused_at: nullable(
    Type.Unsafe<string>({
      ...Time,
      description:
        'When an operator opened it, until `retry_at`; the audit log has who. Null if it opened by itself, and once the pause is over.',
    }),
  ),
})

const ProviderView = namedObject('Provider', {
  name: Type.String({ examples: ['simulator'] }),
  channels: Type.Array(Enums.Channel()),
  reports: Type.Enum(['callback', 'connection', 'never'], {
    title: 'DeliveryReportSource',
    description: 'How it sends delivery reports: to our callback URL, on its connection to us, or never.',
  }),
  lookup: Type.Boolean({ description: 'Whether it supports looking up the status of a message.' }),
  users: Type.Boolean({ description: 'Whether it can send to users without an address.' }),
  simulated: Type.Boolean({
    description: 'Whether it delivers to nobody: what it receives is in `GET /v1/simulator/inbox`.',
  }),
  connections: nullable(
    namedObject(
      'ProviderConnections',
      { wanted: Type.Integer({ examples: [2] }), up: Type.Integer({ examples: [2] }) },
      {
        description:
          'The connections of the responding process to the provider; zero if that process does not send. Null for providers without connections.',
      },
    ),
  ),
  breaker: BreakerView,
  recent: nullable(RecentRates),
})

const LIST = {
  operationId: 'listProviders',
  tags: ['operations'],
  summary: 'List providers',
  description:
    'Every configured provider that the tenant may use, and for operators all, with its capabilities, recent results and circuit breaker. While the breaker is open, messages use the next provider of their route, or wait until `retry_at`.',
  response: responses({
    200: { description: 'The providers.', schema: listOf(ProviderView) },
  }),
}
