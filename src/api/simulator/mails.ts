/** The emails that simulated mailboxes received: fields, rendered page, source and attachments. */
import type { onRequestHookHandler } from 'fastify'
import { type Static, Type } from 'typebox'
import { isContentType } from '../../domain/email/attachments.ts'
import type { TenantId } from '../../domain/ids.ts'
import type { Attachment } from '../../domain/message/message.ts'
import { refuse } from '../../flows/errors.ts'
import { instant, toIso } from '../../lib/time.ts'
import type { FindMail, ReceivedMail } from '../../ports/simulator-inbox.ts'
import { type Api, callerOf } from '../http/context.ts'
import { MESSAGE_ID, MessageIdText, namedObject, responses, Time } from '../http/schemas.ts'
import { MailboxText, MailFields, toMailboxText, toMailFields } from '../messages/mail-view.ts'
import { SANDBOX_HEADERS, toPage } from './mail-page.ts'

export type SimulatorMailsDeps = Readonly<{ inbox: Readonly<{ mail: FindMail }>; mayRead: onRequestHookHandler }>

/** What the descriptions of all routes of the inbox say. */
export const SCOPES_TO_READ = 'Needs the scope `content:read`; in test mode `messages:read` suffices.'

export function simulatorMailRoutes(app: Api, { inbox, mayRead }: SimulatorMailsDeps): void {
  const options = { onRequest: mayRead, config: { answer: 'large' } } as const
  const find = async (tenantId: TenantId, attemptId: string): Promise<ReceivedMail> => {
    const mail = await inbox.mail({ tenantId, attemptId })
    if (mail === undefined) throw refuse('NOT_FOUND', 'The simulator inbox has no email with this attempt_id')
    return mail
  }

  app.get('/v1/simulator/mails/:attempt_id', { schema: MAIL, ...options }, async (request) =>
    toView(await find(callerOf(request).tenantId, request.params.attempt_id)),
  )

  app.get('/v1/simulator/mails/:attempt_id/html', { schema: PAGE, ...options }, async (request, reply) => {
    const { letter } = await find(callerOf(request).tenantId, request.params.attempt_id)
    return reply.headers(SANDBOX_HEADERS).type('text/html; charset=utf-8').send(toPage(letter))
  })

  app.get('/v1/simulator/mails/:attempt_id/raw', { schema: SOURCE, ...options }, async (request, reply) => {
    const { raw } = await find(callerOf(request).tenantId, request.params.attempt_id)
    reply.headers(SANDBOX_HEADERS).header('content-disposition', toDisposition('mail.eml'))
    return reply.type('message/rfc822').send(Buffer.from(raw))
  })

  app.get('/v1/simulator/mails/:attempt_id/attachments/:n', { schema: FILE, ...options }, async (request, reply) => {
    const { letter } = await find(callerOf(request).tenantId, request.params.attempt_id)
    const attachment = letter.attachments?.[request.params.n]
    if (attachment === undefined) throw refuse('NOT_FOUND', `This email has no attachment ${request.params.n}`)
    reply.headers(SANDBOX_HEADERS).header('content-disposition', toDisposition(attachment.filename))
    return reply.type(toType(attachment)).send(Buffer.from(attachment.content, 'base64'))
  })
}

/** The file name twice: in full (RFC 6266), and in ASCII for old clients. */
function toDisposition(filename: string): string {
  const plain = filename.replace(/[^\w.-]/g, '_')
  const full = encodeURIComponent(filename.toWellFormed()).replace(/['()*]/g, (sign) => `%${toHex(sign)}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${full}`
}

const toHex = (sign: string): string => sign.charCodeAt(0).toString(16).toUpperCase()

const toType = ({ contentType }: Attachment): string =>
  isContentType(contentType) ? contentType : 'application/octet-stream'

const toView = ({ to, from, messageId, receivedAt, letter }: ReceivedMail): Static<typeof Mail> => ({
  to,
  from: toMailboxText(from),
  bcc: (letter.bcc ?? []).map(toMailboxText),
  ...toMailFields(letter),
  message_id: messageId,
  received_at: toIso(instant(receivedAt)),
})

const Mail = namedObject('SimulatorMail', {
  to: Type.String({ examples: ['ada@example.com'] }),
  from: MailboxText,
  bcc: Type.Array(MailboxText),
  ...MailFields,
  message_id: MessageIdText,
  received_at: Time,
})

const common = {
  tags: ['simulator'],
  params: Type.Object({
    attempt_id: Type.String({
      title: 'MailAttemptId',
      description: 'The `attempt_id` of an email in the inbox.',
      examples: [MESSAGE_ID],
    }),
  }),
}

const MAIL = {
  ...common,
  operationId: 'getSimulatorMail',
  summary: 'Get an email in the simulator inbox',
  description: `All its fields, including \`bcc\`. ${SCOPES_TO_READ}`,
  response: responses({ 200: { description: 'The email.', schema: Mail } }, 'NOT_FOUND'),
}

const PAGE = {
  ...common,
  operationId: 'getSimulatorMailPage',
  summary: 'Get the page of an email',
  description: `Its html with inline images, under a Content-Security-Policy that blocks scripts and external content. ${SCOPES_TO_READ}`,
  response: responses({ 200: { description: 'The page.', schema: Type.String(), type: 'text/html' } }, 'NOT_FOUND'),
}

const SOURCE = {
  ...common,
  operationId: 'getSimulatorMailSource',
  summary: 'Get the source of an email',
  description: `In RFC 5322 format, as the mailbox received it. ${SCOPES_TO_READ}`,
  response: responses(
    { 200: { description: 'The source.', schema: Type.String(), type: 'message/rfc822' } },
    'NOT_FOUND',
  ),
}

const FILE = {
  tags: ['simulator'],
  params: Type.Object({
    ...common.params.properties,
    n: Type.Integer({ minimum: 0, examples: [0], description: 'The index in `attachments`, from 0.' }),
  }),
  operationId: 'getSimulatorMailAttachment',
  summary: 'Download an attachment',
  description: `Sent as a download, never for display. ${SCOPES_TO_READ}`,
  response: responses(
    {
      200: {
        description: 'The file, with the content type that the caller gave.',
        schema: Type.String({ format: 'binary' }),
        type: 'application/octet-stream',
      },
    },
    'VALIDATION_ERROR',
    'NOT_FOUND',
  ),
}
