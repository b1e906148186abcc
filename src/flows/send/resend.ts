/** Sends a message again, as a new cycle of the same message: by a person, or from the dead letters. */

import type { MessageId, TenantId, TraceId } from '../../domain/ids.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { isHandoffOver } from '../../domain/message/states.ts'
import { isExpired } from '../../domain/message/step.ts'
import type { Recorded } from '../../ports/event-log.ts'
import { type Refusal, refuse } from '../errors.ts'
import { advance, type RecordDeps, toSeen } from '../record.ts'

export type Resend = Readonly<{ tenantId: TenantId; id: MessageId; by: 'resend' | 'replay'; traceId: TraceId }>

/** The state the new cycle begins with. What a receipt adds meanwhile does not stand in its way. */
export async function resend(deps: RecordDeps, wish: Resend): Promise<MessageState> {
  const { by, traceId } = wish
  const latest = await findResendable(deps, wish)
  const { seen, recorded } = await advance(deps, toSeen(latest), (state) => {
    mustBeResendable(deps, state, wish)
    return state.cycle === latest.event.state.cycle
      ? { fact: { kind: 'ResendRequested', by }, traceId, jobAt: 'now' }
      : undefined
  })
  if (!recorded) throw refuse('CONFLICT', 'this message was just sent again; look again')
  return seen.state
}

/** The message as it is now; refuses where it cannot be sent again. */
export async function findResendable(deps: RecordDeps, wish: Resend): Promise<Recorded> {
  const latest = await deps.log.latest(wish.id)
  if (latest?.event.state.tenantId !== wish.tenantId) throw refuse('NOT_FOUND', 'no such message')
  mustBeResendable(deps, latest.event.state, wish)
  return latest
}

function mustBeResendable({ clock }: RecordDeps, state: MessageState, { by }: Resend): void {
  if (state.erased) throw contentErased()
  if (by === 'replay' && !state.dead) throw refuse('CONFLICT', 'this message is not among the dead letters')
  if (!isHandoffOver(state.handoffState)) throw refuse('CONFLICT', 'this message is still on its way')
  if (isExpired(state, clock())) throw refuse('CONFLICT', 'the expires_at of this message has passed')
}

export const contentErased = (): Refusal => refuse('CONFLICT', 'the content of this message was erased')
