/**
 * The content of a message, for those with the scope `content:read`. Messages with a one-time code are never shown. Every
 * access is recorded in the audit log, and the response must not be cached.
 */
import type { FastifyReply } from 'fastify'
import type { Logger } from 'pino'
import { type Static, Type } from 'typebox'
import type { Caller } from '../../domain/access/caller.ts'
import type { Content, EmailContent, SmsContent } from '../../domain/message/message.ts'
import { toSegmentation, toTextParts } from '../../domain/message/segments.ts'
import { refuse } from '../../flows/errors.ts'
import { type Audit, audited } from '../access/audit.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf, toLogFields } from '../http/context.ts'
import { Enums } from '../http/enums.ts'
import { MessageParams, namedObject, nullable, responses } from '../http/schemas.ts'
import { SMALL_BYTES, type TenantMemoryBudget } from '../http/tenant-memory-budget.ts'
import { type FindDeps, type FoundMessage, findMessage } from './find-message.ts'
import { MailboxText, MailFields, toMailboxText, toMailFields } from './mail-view.ts'

export type ContentDeps = FindDeps &
  Readonly<{ guard: Guard; audit: Audit; logger: Logger; memory: TenantMemoryBudget }>

/** How long a caller may take to read a large response. */
const READ_TIMEOUT_MILLIS = 30_000

export function contentRoutes(app: Api, deps: ContentDeps): void {
  const onRequest = deps.guard('content:read')
  app.get(
    '/v1/messages/:id/content',
    { schema: CONTENT, onRequest, config: { answer: 'one' } },
    async (request, reply) => {
      reply.header('cache-control', 'no-store')
      const caller = callerOf(request)
      const found = await findMessage(deps, caller, request.params.id, { events: { limit: 1 } })
      const content = readable(found)
      reserveMemory(deps.memory, caller, content, reply)
      await deps.audit(request, { action: 'message.content_read', target: { kind: 'message', id: found.state.id } })
      const fields = { ...toLogFields(request), account_id: caller.accountId, message_id: found.state.id }
      deps.logger.info(fields, 'message content read')
      return toContentView(content)
    },
  )
}

/** The lane identifies a one-time code even after erasure. */
export const hasCode = ({ state, content }: FoundMessage): boolean => state.lane === 'otp' || content?.otp !== undefined

function readable(found: FoundMessage) {
  const { state, content } = found
  if (hasCode(found)) {
    throw refuse('FORBIDDEN', 'Messages with a one-time code cannot be read')
  }
  if (content !== undefined) return content
  throw refuse(
    'NOT_FOUND',
    state.erased ? 'The content of this message was erased' : 'The content of this message is no longer stored',
  )
}

/** The texts stay in memory until the response is sent; attachments only contribute their sizes. */
function reserveMemory(
  memory: TenantMemoryBudget,
  { tenantId }: Caller,
  content: Content,
  { raw }: FastifyReply,
): void {
  const characters = content.channel === 'sms' ? 0 : content.html.length + (content.text ?? '').length
  // A caller that has already disconnected emits no 'close' to release on.
  if (characters <= SMALL_BYTES || raw.destroyed) return
  const release = memory.reserve(tenantId, characters)
  const timeout = setTimeout(() => raw.destroy(), READ_TIMEOUT_MILLIS)
  raw.once('close', () => {
    clearTimeout(timeout)
    release()
  })
}

/** What both channels have in common. */
const Given = {
  to: Type.String({ description: 'The recipient in clear text.' }),
  metadata: Type.Record(Type.String(), Type.String()),
  tags: Type.Array(Type.String()),
  template: nullable(
    namedObject(
      'RenderedTemplate',
      { name: Type.String(), locale: nullable(Type.String()) },
      { description: 'The template that the caller named. The texts are what it rendered.' },
    ),
  ),
}
const GivenFields = Type.Object(Given)

const toGiven = ({ to, metadata, tags, template }: Content): Static<typeof GivenFields> => ({
  to,
  metadata: { ...metadata },
  tags: [...tags],
  template: template === undefined ? null : { name: template.name, locale: template.locale ?? null },
})

const SmsView = namedObject('SmsContent', {
  channel: Type.Literal('sms'),
  from: nullable(Type.String({ description: 'The sender id.' })),
  ...Given,
  body: Type.String({ examples: ['Your parcel is on its way.'] }),
  encoding: Enums.SmsEncoding(),
  parts: Type.Array(
    namedObject('SmsPart', {
      text: Type.String(),
      units: Type.Integer({ description: 'Septets in GSM-7, 16-bit code units in UCS-2.', examples: [26] }),
    }),
    { description: 'The segments as they are sent.' },
  ),
})

const toSms = (content: SmsContent): Static<typeof SmsView> => ({
  channel: 'sms',
  from: content.from ?? null,
  ...toGiven(content),
  ...toTexts(content),
})

const toTexts = ({ body }: SmsContent) => ({
  body,
  encoding: toSegmentation(body).encoding,
  parts: toTextParts(body).map(({ text, units }) => ({ text, units })),
})

const EmailView = namedObject('EmailContent', {
  channel: Type.Literal('email'),
  from: nullable(MailboxText),
  ...Given,
  ...MailFields,
})

const toEmail = (mail: EmailContent): Static<typeof EmailView> => ({
  channel: 'email',
  from: mail.from === undefined ? null : toMailboxText(mail.from),
  ...toGiven(mail),
  ...toMailFields(mail),
})

export const toContentView = (content: Content): Static<typeof SmsView> | Static<typeof EmailView> =>
  content.channel === 'sms' ? toSms(content) : toEmail(content)

const MessageContent = Type.Union([SmsView, EmailView], { title: 'MessageContent' })

const CONTENT = {
  ...audited('message.content_read'),
  operationId: 'getMessageContent',
  tags: ['messages'],
  summary: 'Get the content of a message',
  description:
    'Needs the scope `content:read`; every access is recorded in the audit log. Not available for one-time codes or after erasure. ' +
    'The `html` of an email is what the caller wrote: display it only in a sandbox.',
  params: MessageParams,
  response: responses({ 200: { description: 'The content.', schema: MessageContent } }, 'NOT_FOUND'),
}
