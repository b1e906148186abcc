/** Opens or closes the circuit breaker of a provider manually. */
import type { Logger } from 'pino'
import { Type } from 'typebox'
import { parseProviderName } from '../../domain/ids.ts'
import { CLOSED } from '../../domain/routing/breaker.ts'
import { seconds } from '../../lib/time.ts'
import { type Audit, audited } from '../access/audit.ts'
import { type Api, callerOf, toLogFields } from '../http/context.ts'
import { namedObject, responses } from '../http/schemas.ts'
import { BreakerView, type ProvidersDeps, toBreakerView, unknownProvider } from './providers.ts'

export type ProviderBreakerDeps = Pick<ProvidersDeps, 'providers' | 'breakers' | 'clock' | 'guard'> &
  Readonly<{ audit: Audit; logger: Logger }>

const MAX_PAUSE = 7 * 24 * 3600

const TO = { trip: 'open', reset: 'closed' } as const
const ACTIONS = { trip: 'breaker.tripped', reset: 'breaker.reset' } as const

export function providerBreakerRoutes(app: Api, deps: ProviderBreakerDeps): void {
  const { providers, breakers, clock, guard, audit, logger } = deps
  app.post('/v1/providers/:name/breaker', { schema: FORCE, onRequest: guard('operator') }, async (request) => {
    const name = parseProviderName(request.params.name)
    if (name === undefined || !providers.has(name)) throw unknownProvider(request.params.name)
    const { action, seconds: pause } = request.body
    const view = () => toBreakerView(breakers.states().get(name) ?? CLOSED, clock())
    const before = view()
    await breakers.force(name, TO[action], clock(), pause === undefined ? undefined : seconds(pause))
    const { accountId } = callerOf(request)
    const fields = { ...toLogFields(request), account_id: accountId, provider: name, action }
    logger.info(fields, action === 'trip' ? 'circuit breaker opened manually' : 'circuit breaker closed manually')
    const [target, after] = [{ kind: 'provider', id: name }, view()]
    await audit(request, { action: ACTIONS[action], target, tenantId: null, before, after })
    return after
  })
}

const FORCE = {
  ...audited('breaker.tripped', 'breaker.reset'),
  operationId: 'setProviderBreaker',
  tags: ['operations'],
  summary: 'Trip or reset the circuit breaker of a provider',
  description:
    'Applies to all workers and all tenants, so it needs the scope `operator`. `trip` opens the breaker: messages use the next provider of their route, or ' +
    'wait, and after the pause one trial call is made. A restart does not end the pause. `reset` closes it and clears the failure count; waiting messages ' +
    'are released within a second.',
  params: Type.Object({ name: Type.String({ description: 'The name of a provider.', examples: ['simulator'] }) }),
  body: namedObject(
    'SetProviderBreakerRequest',
    {
      action: Type.Enum(['trip', 'reset'], { title: 'BreakerAction', examples: ['trip'] }),
      seconds: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_PAUSE,
          description:
            'How long a tripped breaker stays open, at most a week. Defaults to the usual pause; ignored with `reset`.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  response: responses({ 200: { description: 'The breaker.', schema: BreakerView } }, 'VALIDATION_ERROR', 'NOT_FOUND'),
}
