/** Ends a message that cannot be processed: a dead letter that names the fault, for a person to replay once it is mended. */
import type { MessageId } from '../../domain/ids.ts'
import { isHandoffOver } from '../../domain/message/states.ts'
import { advance, type RecordDeps, toSeen } from '../record.ts'

/** A fault whose sentence may be shown in a timeline: it quotes nothing of a message. */
export class ShownFault extends Error {
  override readonly name = 'ShownFault'
}

const sentenceOf = (error: unknown): string => {
  if (error instanceof ShownFault) return error.message
  return error instanceof Error ? error.name : 'an unnamed fault'
}

/** What keeps a message from being processed, and how often it did in a row. */
export type Poison = Readonly<{ error: unknown; faults: number }>

/** An attempt that is open, or whose outcome is unknown, may have reached the provider all the same. */
export async function deadLetter(deps: RecordDeps, id: MessageId, { error, faults }: Poison): Promise<void> {
  const latest = await deps.log.latest(id)
  if (latest === undefined) return
  const detail = `processing failed ${faults} times in a row: ${sentenceOf(error)}`
  await advance(deps, toSeen(latest), ({ handoffState, phase }) => {
    if (isHandoffOver(handoffState)) return undefined
    const mayHaveIt = phase === 'open' || phase === 'unknown'
    return {
      fact: { kind: 'DeadLettered', code: 'PROCESSING_FAILED', detail, ...(mayHaveIt && { outcome: 'unknown' }) },
    }
  })
}
