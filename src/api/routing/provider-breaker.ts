/** A person leaves a provider alone, or has it used again: its breaker is tripped or reset. */
import type { Logger } from 'pino'
import { Type } from 'typebox'
import { parseProviderName } from '../../domain/ids.ts'
import { CLOSED } from '../../domain/routing/breaker.ts'
import { refuse } from '../../flows/errors.ts'
import { seconds } from '../../lib/time.ts'
import { type Api, callerOf, toLogFields } from '../http/context.ts'
import { answers } from '../http/schemas.ts'
import { BreakerView, type ProvidersDeps, toBreakerView } from './providers.ts'

export type ProviderBreakerDeps = Pick<ProvidersDeps, 'providers' | 'breakers' | 'clock' | 'guard'> &
  Readonly<{ logger: Logger }>

const TO = { trip: 'open', reset: 'closed' } as const

export function providerBreakerRoutes(app: Api, deps: ProviderBreakerDeps): void {
  const { providers, breakers, clock, guard, logger } = deps
  app.post('/v1/providers/:name/breaker', { schema: FORCE, onRequest: guard('admin') }, async (request) => {
    const name = parseProviderName(request.params.name)
    if (name === undefined || !providers.has(name)) throw refuse('NOT_FOUND', 'no such provider')
    const { action, seconds: pause } = request.body
    await breakers.force(name, TO[action], clock(), pause === undefined ? undefined : seconds(pause))
    const { accountId } = callerOf(request)
    logger.info({ ...toLogFields(request), account_id: accountId, provider: name, action }, 'a breaker was set by hand')
    return toBreakerView(breakers.states().get(name) ?? CLOSED, clock())
  })
}

const FORCE = {
  operationId: 'setProviderBreaker',
  tags: ['operations'],
  summary: 'Trip or reset the breaker of a provider',
  description:
    'For every worker, and for the messages of all tenants. A provider that is tripped is left alone as if it had failed ' +
    'too often: messages go to the next provider of their route, or wait, and after the pause one call tries it out. ' +
    'Reset, it is used again at once, and its failures are forgotten; what waits for it looks again within a minute.',
  params: Type.Object({ name: Type.String({ description: 'The name of a provider.', examples: ['simulator'] }) }),
  body: Type.Object(
    {
      action: Type.Enum(['trip', 'reset'], { examples: ['trip'] }),
      seconds: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 3600,
          description: 'For how long it is left alone; of no use with `reset`. The usual pause unless said otherwise.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  response: answers(
    { 200: { description: 'The breaker as it is now.', schema: BreakerView } },
    'VALIDATION_ERROR',
    'NOT_FOUND',
  ),
}
