/** Sends a message again, as a new cycle of the same message: by a person, or from the dead letters. */

import type { MessageId, TenantId, TraceId } from '../domain/ids.ts'
import type { MessageState } from '../domain/state.ts'
import { isHandoffOver } from '../domain/states.ts'
import { isExpired } from '../domain/step.ts'
import { type Refusal, refuse } from '../errors.ts'
import type { Recorded } from '../ports/event-log.ts'
import { type RecordDeps, record, toSeen } from './record.ts'

export type Resend = Readonly<{ tenantId: TenantId; id: MessageId; by: 'resend' | 'replay'; traceId: TraceId }>

/** The state the new cycle begins with. */
export async function resend(deps: RecordDeps, wish: Resend): Promise<MessageState> {
  const { by, traceId } = wish
  const latest = await findResendable(deps, wish)
  const result = await record(deps, toSeen(latest), { kind: 'ResendRequested', by }, { traceId, jobAt: 'now' })
  if (result.kind !== 'recorded') throw refuse('CONFLICT', 'this message has just changed; look again')
  return result.seen.state
}

/** The message as it is now; refuses where it cannot be sent again. */
export async function findResendable(deps: RecordDeps, { tenantId, id, by }: Resend): Promise<Recorded> {
  const latest = await deps.log.latest(id)
  if (latest?.event.state.tenantId !== tenantId) throw refuse('NOT_FOUND', 'no such message')

  const { state } = latest.event
  if (state.erased) throw contentErased()
  if (by === 'replay' && !state.dead) throw refuse('CONFLICT', 'this message is not among the dead letters')
  if (!isHandoffOver(state.handoffState)) throw refuse('CONFLICT', 'this message is still on its way')
  if (isExpired(state, deps.clock())) throw refuse('CONFLICT', 'the expires_at of this message has passed')
  return latest
}

export const contentErased = (): Refusal => refuse('CONFLICT', 'the content of this message was erased')
