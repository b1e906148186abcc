/** Resending one message, and replaying one dead letter: the same call but for what it is allowed on. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Caller } from '../../domain/access/caller.ts'
import type { LimitOwner } from '../../domain/limits/limits.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { toStatus } from '../../domain/message/states.ts'
import { type AdmitResendDeps, admitResend } from '../../flows/send/admit-resend.ts'
import { toIso } from '../../lib/time.ts'
import { type Audit, sometimesAudited } from '../access/audit.ts'
import { allows, type Guard, missingScope } from '../http/auth.ts'
import { type Api, callerOf, traceOf } from '../http/context.ts'
import { Enums } from '../http/enums.ts'
import { rateLimitHeaders } from '../http/rate-limit.ts'
import { MessageIdText, MessageParams, namedObject, responses, Time } from '../http/schemas.ts'
import { readMessageId } from './find-message.ts'

export type ResendDeps = AdmitResendDeps & Readonly<{ guard: Guard; audit: Audit }>

type ResendRequest = FastifyRequest<{
  Params: Static<typeof MessageParams>
  Querystring: Static<typeof OverrideQuery>
}>

export function resendRoutes(app: Api, deps: ResendDeps): void {
  const onRequest = deps.guard('messages:write')
  const handler = (by: 'resend' | 'replay') => async (request: ResendRequest, reply: FastifyReply) => {
    const caller = callerOf(request)
    const overrideLimits = readOverride(caller, request.query)
    const message = { tenantId: caller.tenantId, id: readMessageId(request.params.id), traceId: traceOf(request) }
    const { state, limits } = await admitResend(deps, { ...message, by, overrideLimits })
    if (overrideLimits !== false) {
      const [target, after] = [
        { kind: 'message', id: state.id },
        { by, overridden: overrideLimits, cycle: state.cycle },
      ]
      await deps.audit(request, { action: 'message.limits_overridden', target, after })
    }
    reply.code(202).headers(rateLimitHeaders(limits))
    return toResent(state)
  }
  app.post('/v1/messages/:id/resend', { schema: RESEND, onRequest }, handler('resend'))
  app.post('/v1/dead-letters/:id/replay', { schema: REPLAY, onRequest }, handler('replay'))
}

export const OverrideQuery = Type.Object(
  {
    override_limits: Type.Optional(
      Type.Boolean({
        title: 'OverrideLimits',
        description:
          "Ignore the tenant's own limits and do not count against them. Needs the scope `admin`; with `operator` it " +
          'also ignores those that operators have set.',
      }),
    ),
  },
  { additionalProperties: false },
)

/** Everybody can only override what they could have set. */
export function readOverride(
  caller: Caller,
  { override_limits = false }: Static<typeof OverrideQuery>,
): false | LimitOwner {
  if (!override_limits) return false
  if (!allows(caller, 'admin')) throw missingScope(['admin'])
  return allows(caller, 'operator') ? 'operator' : 'tenant'
}

const ResentMessage = namedObject('ResentMessage', {
  id: MessageIdText,
  status: Enums.MessageStatus(),
  cycle: Type.Integer({ examples: [2] }),
  updated_at: Time,
})

const toResent = (state: MessageState): Static<typeof ResentMessage> => ({
  id: state.id,
  status: toStatus(state),
  cycle: state.cycle,
  updated_at: toIso(state.updatedAt),
})

const shared = {
  ...sometimesAudited('message.limits_overridden'),
  params: MessageParams,
  querystring: OverrideQuery,
  response: responses(
    { 202: { description: 'The message is queued again.', schema: ResentMessage } },
    'VALIDATION_ERROR',
    'NOT_FOUND',
    'CONFLICT',
    'SENDER_NOT_ALLOWED',
    'RATE_LIMITED',
    'SEND_QUOTA_EXCEEDED',
  ),
}

const RESEND = {
  ...shared,
  operationId: 'resendMessage',
  tags: ['messages'],
  summary: 'Resend a message',
  description:
    'Starts a new cycle, and counts against the limits like a send. Refused while the message is in flight, after its ' +
    '`expires_at`, and after erasure.',
}

const REPLAY = {
  ...shared,
  operationId: 'replayDeadLetter',
  tags: ['dead letters'],
  summary: 'Replay a dead letter',
  description: 'Starts a new cycle with all its attempts, and counts against the limits like a send.',
}
