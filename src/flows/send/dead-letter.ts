/**
 * Ends a message that cannot be processed: a dead letter with the fault's name, to be replayed once the fault is fixed.
 */
import type { MessageId } from '../../domain/ids.ts'
import { isHandoffOver } from '../../domain/message/states.ts'
import { advance, type RecordDeps, toSeen } from '../record.ts'

/** A fault whose message may be shown in a timeline, because it contains nothing of the content. */
export class ShownFault extends Error {
  override readonly name = 'ShownFault'
}

const describe = (error: unknown): string => {
  if (error instanceof ShownFault) return error.message
  return error instanceof Error ? error.name : 'unknown fault'
}

/** The fault that keeps a message from being processed, and how many times in a row it occurred. */
export type Poison = Readonly<{ error: unknown; faults: number }>

/** An open attempt, or one with an unknown outcome, may have reached the provider. */
export async function deadLetter(deps: RecordDeps, id: MessageId, { error, faults }: Poison): Promise<void> {
  const latest = await deps.log.latest(id)
  if (latest === undefined) return
  const detail = `processing failed ${faults} times in a row: ${describe(error)}`
  await advance(deps, toSeen(latest), ({ handoffState, phase }) => {
    if (isHandoffOver(handoffState)) return undefined
    const mayHaveIt = phase === 'open' || phase === 'unknown'
    return {
      fact: { kind: 'DeadLettered', code: 'PROCESSING_FAILED', detail, ...(mayHaveIt && { outcome: 'unknown' }) },
    }
  })
}
