/** Manually resolves a message with an unknown outcome. */
import { type Static, Type } from 'typebox'
import type { MessageState } from '../../domain/message/state.ts'
import { toStatus } from '../../domain/message/states.ts'
import { RESOLUTIONS, type ResolveUnknownDeps, resolveUnknown } from '../../flows/receive/resolve-unknown.ts'
import { toIso } from '../../lib/time.ts'
import { type Audit, audited } from '../access/audit.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf, traceOf } from '../http/context.ts'
import { Enums } from '../http/enums.ts'
import { MessageIdText, MessageParams, namedObject, responses, Time } from '../http/schemas.ts'
import { readMessageId } from './find-message.ts'

export type ResolveDeps = ResolveUnknownDeps & Readonly<{ guard: Guard; audit: Audit }>

export function resolveRoutes(app: Api, deps: ResolveDeps): void {
  const mayWrite = deps.guard('messages:write')

  app.post('/v1/messages/:id/resolve', { schema: RESOLVE, onRequest: mayWrite }, async (request) => {
    const { tenantId, accountId } = callerOf(request)
    const id = readMessageId(request.params.id)
    const { as } = request.body
    const state = await resolveUnknown(deps, { tenantId, accountId, id, as, traceId: traceOf(request) })
    const after = { as, status: toStatus(state) }
    await deps.audit(request, { action: 'message.resolved', target: { kind: 'message', id }, after })
    return toResolved(state)
  })
}

const Resolved = namedObject('ResolvedMessage', {
  id: MessageIdText,
  status: Enums.MessageStatus(),
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
  ...audited('message.resolved'),
  operationId: 'resolveMessage',
  tags: ['messages'],
  summary: 'Resolve a message with an unknown outcome',
  description:
    'For a message with `unknown: true`: an operator decides whether the provider has its latest attempt. Refused for ' +
    'any other message, also if a delivery report arrives first. The timeline records the account that resolved it.',
  params: MessageParams,
  body: namedObject(
    'ResolveMessageRequest',
    {
      as: Type.Enum(RESOLUTIONS, {
        title: 'Resolution',
        description:
          '`sent`: the provider has it. `not_sent`: the provider does not have it, and the message fails. ' +
          '`resend`: send it again now, although it may arrive twice; in a new cycle if this one has no attempts left.',
        examples: ['sent'],
      }),
    },
    { additionalProperties: false },
  ),
  response: responses(
    { 200: { description: 'The message is resolved; `status` is its new status.', schema: Resolved } },
    'VALIDATION_ERROR',
    'NOT_FOUND',
    'CONFLICT',
  ),
}
