/**
 * One message on its way to the SMSC: its parts are submitted side by side, and what became of them is known
 * when all are answered, or when the time is up. Answers that come after that are still taken note of.
 */
import { unknownOutcome } from '../provider-errors.ts'
import type { Binds, Ticket } from './binds.ts'
import type { PartResult } from './outcome.ts'
import type { SubmitFields } from './pdu.ts'

export type Results = readonly PartResult[]

export type Handover = Readonly<{
  /** What is known when the caller has to be told. */
  inTime: Promise<Results>
  /** What became of the parts in the end: the same, unless an answer was late. */
  atLast: Promise<Results>
}>

const TIMEOUT: PartResult = { kind: 'lost', outcome: unknownOutcome('TIMEOUT', 'the SMSC did not answer in time') }

/** Only while the signal lives. */
export function handOver(binds: Binds, submits: readonly SubmitFields[], signal: AbortSignal): Handover {
  const inTime = Promise.withResolvers<Results>()
  const atLast = Promise.withResolvers<Results>()
  const results: (PartResult | undefined)[] = submits.map(() => undefined)
  const tickets: Ticket[] = []
  let unanswered = submits.length

  const tell = (): void => {
    signal.removeEventListener('abort', tell)
    for (const ticket of tickets) binds.giveUp(ticket)
    inTime.resolve(results.map((result) => result ?? TIMEOUT))
  }
  const note = (place: number, result: PartResult): void => {
    results[place] = result
    if (results.every((known) => known !== undefined)) tell()
  }
  const settled = (place: number, result: PartResult): void => {
    unanswered -= 1
    note(place, result)
    if (unanswered === 0) atLast.resolve(results as Results)
    // The message will not be whole: nothing is won by sending the rest.
    else if (result.kind === 'refused' || result.kind === 'left') for (const ticket of tickets) binds.giveUp(ticket)
  }

  for (const [place, fields] of submits.entries()) {
    const part = {
      fields,
      settled: (result: PartResult) => settled(place, result),
      overdue: () => note(place, TIMEOUT),
    }
    tickets.push(binds.submit(part))
  }
  signal.addEventListener('abort', tell, { once: true })
  return { inTime: inTime.promise, atLast: atLast.promise }
}
