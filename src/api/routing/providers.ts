/** The providers that are set up, and whether they are fit to be used. */
import { type Static, Type } from 'typebox'
import type { ProviderName } from '../../domain/ids.ts'
import { CHANNELS } from '../../domain/message/message.ts'
import { BREAKER_STATES, type Breaker, CLOSED, toBreakerState } from '../../domain/routing/breaker.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Instant, toIso } from '../../lib/time.ts'
import type { Breakers } from '../../ports/breakers.ts'
import type { MessageIndex } from '../../ports/message-index.ts'
import type { Provider } from '../../ports/provider.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { answers, nullable, Time } from '../http/schemas.ts'
import { RecentRates, recentRates } from './recent-rates.ts'

export type ProvidersDeps = Readonly<{
  providers: ReadonlyMap<ProviderName, Provider>
  breakers: Breakers
  index: MessageIndex
  clock: Clock
  guard: Guard
}>

export function providerRoutes(app: Api, { providers, breakers, index, clock, guard }: ProvidersDeps): void {
  app.get('/v1/providers', { schema: LIST, onRequest: guard('messages:read') }, async (request) => {
    const [states, now] = [breakers.states(), clock()]
    const rates = await recentRates(index, callerOf(request).tenantId, now)
    const items = [...providers.values()].map((provider) => ({
      ...toView(provider),
      breaker: toBreakerView(states.get(provider.name) ?? CLOSED, now),
      recent: rates?.(provider.name) ?? null,
    }))
    return { items }
  })
}

function toView({ name, capabilities: { channels, reports, users }, lookup, connections }: Provider) {
  const held = connections?.()
  return { name, channels, reports, lookup: lookup !== undefined, users: users === true, connections: held ?? null }
}

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
      '`closed`: it is used. `open`: it failed too often in a row and is left alone. `half_open`: one call tries it out.',
  }),
  consecutive_failures: Type.Integer({ examples: [0] }),
  opened_at: nullable(Time),
  retry_at: nullable(Time),
})

const Listed = Type.Object({
  name: Type.String({ examples: ['simulator'] }),
  channels: Type.Array(Type.Enum(CHANNELS)),
  reports: Type.Enum(['callback', 'connection', 'never'], {
    description:
      'How it reports what became of a message: to our callback URL, on the connection we hold to it, or not.',
  }),
  lookup: Type.Boolean({ description: 'Whether it can be asked about a message.' }),
  users: Type.Boolean({ description: 'Whether it reaches users of whom no address is known.' }),
  connections: nullable(
    Type.Object(
      { wanted: Type.Integer({ examples: [2] }), up: Type.Integer({ examples: [2] }) },
      {
        description:
          'How many connections it holds to send by, where it holds any: those of the process that answers, and none where that does not send.',
      },
    ),
  ),
  breaker: BreakerView,
  recent: nullable(RecentRates),
})

const LIST = {
  operationId: 'listProviders',
  tags: ['operations'],
  summary: 'The providers, what they carry and how they are',
  description:
    'Every provider that is set up, with what it can do, what it did lately and its breaker: while that is open, messages go to the next provider of their route, or wait until `retry_at`.',
  response: answers({ 200: { description: 'The providers.', schema: Type.Object({ items: Type.Array(Listed) }) } }),
}
