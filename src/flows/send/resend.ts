/** Resends a message as a new cycle: requested by a person, or replayed from the dead letters. */

import type { MessageId, TenantId, TraceId } from '../../domain/ids.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { isHandoffOver, toStatus } from '../../domain/message/states.ts'
import { isExpired } from '../../domain/message/step.ts'
import type { Revised } from '../../ports/event-log.ts'
import { type SendQuotaDeps, sendQuotaExceeded } from '../access/quotas.ts'
import { notFound, type Refusal, refuse } from '../errors.ts'
import { advance, type RecordDeps, toSeen } from '../record.ts'

export type Resend = Readonly<{ tenantId: TenantId; id: MessageId; by: 'resend' | 'replay'; traceId: TraceId }>

export type ResendDeps = RecordDeps & SendQuotaDeps

/** Returns the state at the start of the new cycle. A receipt in between does not prevent it. */
export async function resend(deps: ResendDeps, request: Resend): Promise<MessageState> {
  const { by, traceId } = request
  const latest = await findResendable(deps, request)
  const usedUp = deps.sendQuotas?.usedUp(request.tenantId)
  if (usedUp !== undefined) throw sendQuotaExceeded(usedUp)
  const { seen, recorded } = await advance(deps, toSeen(latest), (state) => {
    mustBeResendable(deps, state, request)
    return state.cycle === latest.event.state.cycle
      ? { fact: { kind: 'ResendRequested', by }, traceId, jobAt: 'now' }
      : undefined
  })
  if (!recorded) throw refuse('CONFLICT', 'The message was resent at the same time; get it before trying again')
  return seen.state
}

/** The message as it is now; refuses where it cannot be sent again. */
export async function findResendable(deps: RecordDeps, request: Resend): Promise<Revised> {
  const latest = await deps.log.latest(request.id)
  if (latest?.event.state.tenantId !== request.tenantId) throw notFound('message', request.id)
  mustBeResendable(deps, latest.event.state, request)
  return latest
}

/** Every event names those before it, so a message cannot have any number of them. */
const MOST_CYCLES = 1_000

function mustBeResendable({ clock }: RecordDeps, state: MessageState, { by }: Resend): void {
  if (state.erased) throw contentErased()
  if (by === 'replay' && !state.dead)
    throw refuse('CONFLICT', `The message is not a dead letter: its status is ${toStatus(state)}; use resend`)
  if (!isHandoffOver(state.handoffState))
    throw refuse(
      'CONFLICT',
      `The message is still in flight: its status is ${toStatus(state)}; resend it once it is sent, delivered, failed or expired`,
    )
  if (state.cycle >= MOST_CYCLES)
    throw refuse('CONFLICT', `The message was sent ${MOST_CYCLES} times, which is the maximum; send a new message`)
  if (isExpired(state, clock()))
    throw refuse('CONFLICT', 'The expires_at of the message has passed; send a new message')
}

export const contentErased = (): Refusal =>
  refuse('CONFLICT', 'The content of the message was erased; send a new message')
