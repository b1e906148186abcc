/** Spans of calls to providers. A call sends its span in `traceparent`, so its id is derived from the attempt. */
import type { ProviderName } from '../domain/ids.ts'
import type { SendOutcome } from '../domain/message/outcome.ts'
import { attemptSpanOf, callSpanOf } from '../domain/message/trace.ts'
import type { Clock } from '../lib/clock.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import type { Instant } from '../lib/time.ts'
import type { Attempt, Provider } from '../ports/provider.ts'
import type { EmitSpan, Span } from './span.ts'

export type CallTracing = Readonly<{ emit: EmitSpan; clock: Clock }>

export const tracedProviders = (
  tracing: CallTracing,
  providers: ReadonlyMap<ProviderName, Provider>,
): ReadonlyMap<ProviderName, Provider> =>
  new Map([...providers].map(([name, provider]) => [name, tracedProvider(tracing, provider)]))

/** Whatever its provider does, a call that was made has a span. */
export const tracedProvider = ({ emit, clock }: CallTracing, provider: Provider): Provider => ({
  ...provider,
  async send(attempt, signal) {
    if (attempt.unsampled === true) return provider.send(attempt, signal)
    const start = clock()
    let outcome: SendOutcome | undefined
    try {
      outcome = await provider.send(attempt, signal)
      return outcome
    } finally {
      emit(toSpan(provider, attempt, { start, end: clock(), outcome }))
    }
  },
})

type Call = Readonly<{ start: Instant; end: Instant; outcome: SendOutcome | undefined }>

function toSpan({ name }: Provider, attempt: Attempt, { start, end, outcome }: Call): Span {
  const { id, ref, tenantId, traceId, channel } = attempt
  const code = outcome === undefined ? 'FAULT' : 'code' in outcome ? outcome.code : undefined
  return {
    traceId,
    id: callSpanOf(id),
    parent: attemptSpanOf(id),
    name: `call ${name}`,
    kind: 'client',
    start,
    end,
    failed: code !== undefined,
    ...omitUndefined({ code }),
    attributes: {
      'messaging.system': 'pombo',
      'messaging.message.id': ref.messageId,
      'messaging.operation.name': 'call',
      'pombo.message_id': ref.messageId,
      'pombo.tenant_id': tenantId,
      'pombo.channel': channel,
      'pombo.cycle': ref.cycle,
      'pombo.attempt': ref.attempt,
      'pombo.attempt_id': id,
      'pombo.provider': name,
      'pombo.outcome': outcome?.kind ?? 'fault',
      ...omitUndefined({
        'pombo.error_code': code,
        'pombo.provider_message_id': outcome?.kind === 'accepted' ? outcome.providerMessageId : undefined,
      }),
    },
  }
}
