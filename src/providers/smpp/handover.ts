/**
 * Submits the parts of one message in parallel. The results are complete when every part is answered; if the time is up
 * first, they are reported as far as they are known, and later answers are still recorded.
 */
import { unknownOutcome } from '../provider-errors.ts'
import type { Binds, PendingPart } from './binds.ts'
import type { PartResult } from './outcome.ts'
import type { SubmitFields } from './pdu.ts'

export type Results = readonly PartResult[]

export type Handover = Readonly<{
  /** The results when the signal aborts, or when all parts are answered or overdue. */
  byDeadline: Promise<Results>
  /** The final results, which differ if an answer was late. */
  final: Promise<Results>
}>

const TIMEOUT = unknownOutcome('TIMEOUT', 'the SMSC did not answer in time')

/** The signal must not be aborted yet. */
export function handOver(binds: Binds, submits: readonly SubmitFields[], signal: AbortSignal): Handover {
  const byDeadline = Promise.withResolvers<Results>()
  const final = Promise.withResolvers<Results>()
  const results: (PartResult | undefined)[] = submits.map(() => undefined)
  const pending: PendingPart[] = []
  let unanswered = submits.length

  const cancelAll = (): void => {
    for (const part of pending) binds.cancel(part)
  }
  const conclude = (): void => {
    signal.removeEventListener('abort', conclude)
    cancelAll()
    byDeadline.resolve(results.map((result) => result ?? TIMEOUT))
  }
  const record = (index: number, result: PartResult): void => {
    results[index] = result
    if (results.every((one) => one !== undefined)) conclude()
  }
  const finish = (index: number, result: PartResult): void => {
    unanswered -= 1
    record(index, result)
    if (unanswered === 0) final.resolve(results as Results)
    // The message will be incomplete, so the remaining parts are not sent.
    else if (result.kind === 'rejected' || result.kind === 'deferred') cancelAll()
  }

  for (const [index, fields] of submits.entries()) {
    const onResult = (result: PartResult): void => finish(index, result)
    const onOverdue = (): void => record(index, TIMEOUT)
    pending.push(binds.submit({ fields, onResult, onOverdue }))
  }
  signal.addEventListener('abort', conclude, { once: true })
  return { byDeadline: byDeadline.promise, final: final.promise }
}
