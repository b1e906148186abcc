/** Sends a message again, as a new cycle of the same message: by a person, or from the dead letters. */

import type { MessageId, TenantId, TraceId } from '../../domain/ids.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { isHandoffOver, toStatus } from '../../domain/message/states.ts'
import { isExpired } from '../../domain/message/step.ts'
import type { Recorded } from '../../ports/event-log.ts'
import { notFound, type Refusal, refuse } from '../errors.ts'
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
  if (!recorded) throw refuse('CONFLICT', 'The message was resent at the same time; get it before trying again')
  return seen.state
}

/** The message as it is now; refuses where it cannot be sent again. */
export async function findResendable(deps: RecordDeps, wish: Resend): Promise<Recorded> {
  const latest = await deps.log.latest(wish.id)
  if (latest?.event.state.tenantId !== wish.tenantId) throw notFound('message', wish.id)
  mustBeResendable(deps, latest.event.state, wish)
  return latest
}

function mustBeResendable({ clock }: RecordDeps, state: MessageState, { by }: Resend): void {
  if (state.erased) throw contentErased()
  if (by === 'replay' && !state.dead)
    throw refuse('CONFLICT', `The message is not a dead letter: its status is ${toStatus(state)}; use resend`)
  if (!isHandoffOver(state.handoffState))
    throw refuse(
      'CONFLICT',
      `The message is still in flight: its status is ${toStatus(state)}; resend it once it is sent, delivered, failed or expired`,
    )
  if (isExpired(state, clock()))
    throw refuse('CONFLICT', 'The expires_at of the message has passed; send a new message')
}

export const contentErased = (): Refusal =>
  refuse('CONFLICT', 'The content of the message was erased; send a new message')
