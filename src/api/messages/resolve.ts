/** Settling by hand what nobody knows: whether the provider has the newest attempt at a message. */
import { type Static, Type } from 'typebox'
import type { MessageState } from '../../domain/message/state.ts'
import { STATUSES, toStatus } from '../../domain/message/states.ts'
import { RESOLUTIONS, type ResolveUnknownDeps, resolveUnknown } from '../../flows/receive/resolve-unknown.ts'
import { toIso } from '../../lib/time.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf, traceOf } from '../http/context.ts'
import { answers, IdParams, RequestId, Time } from '../http/schemas.ts'
import { readMessageId } from './find-message.ts'

export type ResolveDeps = ResolveUnknownDeps & Readonly<{ guard: Guard }>

export function resolveRoutes(app: Api, deps: ResolveDeps): void {
  const mayWrite = deps.guard('messages:write')

  app.post('/v1/messages/:id/resolve', { schema: RESOLVE, onRequest: mayWrite }, async (request) => {
    const { tenantId, accountId } = callerOf(request)
    const id = readMessageId(request.params.id)
    const { as } = request.body
    return toResolved(await resolveUnknown(deps, { tenantId, accountId, id, as, traceId: traceOf(request) }))
  })
}

const Resolved = Type.Object({
  id: RequestId,
  status: Type.Enum(STATUSES),
  attempts: Type.Integer({ examples: [1] }),
  cycle: Type.Integer({ examples: [1] }),
  updated_at: Time,
})

const toResolved = (state: MessageState): Static<typeof Resolved> => ({
  id: state.id,
  status: toStatus(state),
  attempts: state.attempt,
  cycle: state.cycle,
  updated_at: toIso(state.updatedAt),
})

const RESOLVE = {
  operationId: 'resolveMessage',
  tags: ['messages'],
  summary: 'Settle a message with an unknown outcome',
  description:
    'For a message that is `unknown`: nobody knows whether the provider has its newest attempt, and a person has found ' +
    'out or decides. Refused for any other, also where a receipt was a moment faster. The timeline names the account ' +
    'in whose name it was settled.',
  params: IdParams,
  body: Type.Object(
    {
      as: Type.Enum(RESOLUTIONS, {
        description:
          '`sent`: the provider has it. `not_sent`: the provider certainly does not have it, and the message has failed. ' +
          '`resend`: send it again at once, though it may arrive twice; as a new cycle where this one has no attempt left.',
        examples: ['sent'],
      }),
    },
    { additionalProperties: false },
  ),
  response: answers(
    { 200: { description: 'Resolved; `status` is what it is now.', schema: Resolved } },
    'VALIDATION_ERROR',
    'NOT_FOUND',
    'CONFLICT',
  ),
}
