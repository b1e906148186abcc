/** Wires what exports spans to the collector. Without one, nothing here costs anything. */
import type { Logger } from 'pino'
import type { RequestObserver } from './api/http/request-spans.ts'
import type { ProviderName } from './domain/ids.ts'
import type { EventObserver } from './engines/decorators/observed-log.ts'
import type { DeliverDeps } from './flows/webhooks/deliver-webhook.ts'
import { openTracing } from './observe/tracing.ts'
import { tracedProviders } from './observe/tracing-calls.ts'
import { requestSpans } from './observe/tracing-requests.ts'
import { webhookSpans } from './observe/tracing-webhooks.ts'
import type { Provider } from './ports/provider.ts'
import type { Ids } from './ports/world.ts'
import type { Opening } from './profiles/profile.ts'

type Providers = ReadonlyMap<ProviderName, Provider>

export type Traces = Pick<DeliverDeps, 'onPosted'> &
  Readonly<{
    onEvent: readonly EventObserver[]
    onAnswered?: RequestObserver
    traceCalls: (providers: Providers) => Providers
  }>

const UNTRACED: Traces = { onEvent: [], traceCalls: (providers) => providers }

export async function openTraces({ config, clock, opened }: Opening, ids: Ids, logger: Logger): Promise<Traces> {
  const endpoint = config.otlpEndpoint
  if (endpoint === undefined) return UNTRACED
  const onFault = (error: Error): void => logger.warn({ err: error }, 'tracing: spans lost')
  const { observe, emit } = opened.use(await openTracing({ endpoint, ids, clock, onFault }))
  return {
    onEvent: [observe],
    onAnswered: requestSpans({ emit, clock }),
    onPosted: webhookSpans({ emit, ids }),
    traceCalls: (providers) => tracedProviders({ emit, clock }, providers),
  }
}
