/**
 * What a message says, for those who may see everything; what carries a code is shown to nobody. Whoever looks
 * is noted in the log, and nothing on the way keeps a copy.
 */
import type { FastifyReply } from 'fastify'
import type { Logger } from 'pino'
import { type Static, Type } from 'typebox'
import type { Content, EmailContent, SmsContent } from '../../domain/message/message.ts'
import { toSegmentation, toTextParts } from '../../domain/message/segments.ts'
import { refuse } from '../../flows/errors.ts'
import type { Guard } from '../http/auth.ts'
import { type BodyBudget, LIGHT } from '../http/body-budget.ts'
import { type Api, type Caller, callerOf, toLogFields } from '../http/context.ts'
import { answers, IdParams, nullable } from '../http/schemas.ts'
import { MailboxText, MailFields, toMailboxText, toMailFields } from '../simulator/mail-view.ts'
import { type FindDeps, type Found, findMessage } from './find-message.ts'

export type ContentDeps = FindDeps & Readonly<{ guard: Guard; logger: Logger; room: BodyBudget }>

/** How long an answer may take to be read, in milliseconds, where it is large. */
const READ_WITHIN = 30_000

export function contentRoutes(app: Api, deps: ContentDeps): void {
  app.get('/v1/messages/:id/content', { schema: CONTENT, onRequest: deps.guard('admin') }, async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const caller = callerOf(request)
    const found = await findMessage(deps, caller, request.params.id)
    const content = readable(found)
    hold(deps.room, caller, content, reply)
    const fields = { ...toLogFields(request), account_id: caller.accountId, message_id: found.state.id }
    deps.logger.info(fields, 'the content of a message was shown')
    return content.channel === 'sms' ? toSms(content) : toEmail(content)
  })
}

function readable({ state, content }: Found) {
  // Also once it is erased: its lane tells.
  if (state.lane === 'otp' || content?.otp !== undefined) {
    throw refuse('FORBIDDEN', 'a message that carries a code is shown to nobody')
  }
  if (content !== undefined) return content
  throw refuse(
    'NOT_FOUND',
    state.erased ? 'the content of this message was erased' : 'the content is not kept any more',
  )
}

/** The texts stay in memory until the last of them is sent, and of what is attached only the sizes. */
function hold(room: BodyBudget, { tenantId }: Caller, content: Content, { raw }: FastifyReply): void {
  const characters = content.channel === 'sms' ? 0 : content.html.length + (content.text ?? '').length
  // Who has left meanwhile would not be heard leaving.
  if (characters <= LIGHT || raw.destroyed) return
  const leave = room.take(tenantId, characters)
  const late = setTimeout(() => raw.destroy(), READ_WITHIN)
  raw.once('close', () => {
    clearTimeout(late)
    leave()
  })
}

const SmsView = Type.Object({
  channel: Type.Literal('sms'),
  body: Type.String({ examples: ['Your parcel is on its way.'] }),
  encoding: Type.Enum(['gsm7', 'ucs2']),
  parts: Type.Array(
    Type.Object({
      text: Type.String(),
      units: Type.Integer({ description: 'Septets in GSM-7, 16-bit units in UCS-2.', examples: [26] }),
    }),
    { description: 'As it is cut for the way.' },
  ),
})

const toSms = ({ body }: SmsContent): Static<typeof SmsView> => ({
  channel: 'sms',
  body,
  encoding: toSegmentation(body).encoding,
  parts: toTextParts(body).map(({ text, units }) => ({ text, units })),
})

const EmailView = Type.Object({
  channel: Type.Literal('email'),
  from: nullable(MailboxText),
  ...MailFields,
})

const toEmail = (mail: EmailContent): Static<typeof EmailView> => ({
  channel: 'email',
  from: mail.from === undefined ? null : toMailboxText(mail.from),
  ...toMailFields(mail),
})

const CONTENT = {
  operationId: 'getMessageContent',
  tags: ['messages'],
  summary: 'What a message says',
  description:
    'For operators only, and every look is noted. Never of a message that carries a one-time code, nor after erasure. ' +
    'Of a mail, `html` is what the caller wrote: to be shown in a sandbox only.',
  params: IdParams,
  response: answers({ 200: { description: 'The content.', schema: Type.Union([SmsView, EmailView]) } }, 'NOT_FOUND'),
}
