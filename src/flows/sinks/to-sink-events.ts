/** What is published on a sink about events of the log. */
import type { MessageEvent } from '../../domain/message/events.ts'
import { type IntegrationEvent, toIntegrationEvents } from '../../domain/message/integration-events.ts'
import { isSmsSent, SMS_OUTBOUND, toSmsOutbound } from '../../domain/message/sms-outbound.ts'
import type { EventLog } from '../../ports/event-log.ts'
import type { SinkEvent } from '../../ports/sink.ts'

export type ToSinkEventsDeps = Readonly<{ log: Pick<EventLog, 'load'> }>

/** Those of the given types, in the order of the log. */
export async function toSinkEvents(
  deps: ToSinkEventsDeps,
  types: ReadonlySet<string>,
  events: readonly MessageEvent[],
): Promise<readonly SinkEvent[]> {
  const found = await Promise.all(events.map((event) => eventsOf(deps, types, event)))
  return found.flat()
}

async function eventsOf(
  deps: ToSinkEventsDeps,
  types: ReadonlySet<string>,
  event: MessageEvent,
): Promise<readonly SinkEvent[]> {
  const published = toIntegrationEvents(event).filter(({ name }) => types.has(name))
  if (types.has(SMS_OUTBOUND) && isSmsSent(event)) published.push(...(await outboundOf(deps, event)))
  return published.map(({ name, data }) => ({
    id: `${event.id}.${name}`,
    type: name,
    messageId: event.state.id,
    body: JSON.stringify(data),
  }))
}

/** Nothing, if the content has been erased since. */
async function outboundOf({ log }: ToSinkEventsDeps, { state }: MessageEvent): Promise<readonly IntegrationEvent[]> {
  const content = (await log.load(state.id))?.content
  const data = content && toSmsOutbound(content)
  return data === undefined ? [] : [{ name: SMS_OUTBOUND, data }]
}
