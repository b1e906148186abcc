/** Reads the timeline of a message: facts of a cycle, and its attempts with their ends. */
import type { ProviderName } from '../ids.ts'
import type { Fact, FactKind, MessageEvent } from '../message/events.ts'

type Of<Kind extends FactKind> = MessageEvent & Readonly<{ fact: Extract<Fact, { kind: Kind }> }>

const isOf = <Kind extends FactKind>(event: MessageEvent, kind: Kind): event is Of<Kind> => event.fact.kind === kind

/** The last fact of this kind in a cycle. */
export function lastFact<Kind extends FactKind>(
  events: readonly MessageEvent[],
  cycle: number,
  kind: Kind,
): Of<Kind> | undefined {
  for (const event of events.toReversed()) if (event.cycle === cycle && isOf(event, kind)) return event
  return undefined
}

/** The provider that was called in the attempt of an event; undefined where the timeline does not reach back so far. */
export const providerOf = (
  events: readonly MessageEvent[],
  { cycle, attempt }: Pick<MessageEvent, 'cycle' | 'attempt'>,
): ProviderName | undefined =>
  events.flatMap((event) =>
    isOf(event, 'HandoffAttempted') && event.cycle === cycle && event.attempt === attempt ? [event.fact.provider] : [],
  )[0]
