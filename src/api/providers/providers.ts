/** The configured providers, their circuit breakers and recent results. */
import { type Static, Type } from 'typebox'
import type { ProviderName } from '../../domain/ids.ts'
import { CHANNELS } from '../../domain/message/message.ts'
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
import { type Api, type Caller, callerOf } from '../http/context.ts'
import { nullable, responses, Time } from '../http/schemas.ts'
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

function toView({ name, capabilities: { channels, reports, users }, lookup, connections }: Provider) {
  const can = { lookup: lookup !== undefined, users: users === true }
  return { name, channels, reports, ...can, connections: connections?.() ?? null }
}

/** Names of providers are not secret: `GET /v1/providers` lists them. */
export const unknownProvider = (name: string): Refusal => refuse('NOT_FOUND', `No provider named ${name} is configured`)

export function toBreakerView(breaker: Breaker, now: Instant): Static<typeof BreakerView> {
  const times = breaker.kind === 'closed' ? undefined : breaker
  return {
    state: toBreakerState(breaker, now),
    consecutive_failures: breaker.failures,
    opened_at: times === undefined ? null : toIso(times.openedAt),
    retry_at: times === undefined ? null : toIso(times.retryAt),
  }
}

export const BreakerView = Type.Object({
  state: Type.Enum(BREAKER_STATES, {
    description:
      '`closed`: the provider is used. `open`: it failed too many times in a row and is not called. `half_open`: one trial call is made.',
  }),
  consecutive_failures: Type.Integer({ examples: [0] }),
  opened_at: nullable(Time),
  retry_at: nullable(Time),
})

const ProviderView = Type.Object({
  name: Type.String({ examples: ['simulator'] }),
  channels: Type.Array(Type.Enum(CHANNELS)),
  reports: Type.Enum(['callback', 'connection', 'never'], {
    description: 'How it sends delivery reports: to our callback URL, on its connection to us, or never.',
  }),
  lookup: Type.Boolean({ description: 'Whether it supports looking up the status of a message.' }),
  users: Type.Boolean({ description: 'Whether it can send to users without an address.' }),
  connections: nullable(
    Type.Object(
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
    200: { description: 'The providers.', schema: Type.Object({ items: Type.Array(ProviderView) }) },
  }),
}
