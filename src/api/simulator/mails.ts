/** The mails that the simulated mailboxes received: what they say, as they look, their source and what came along. */
import { type Static, Type } from 'typebox'
import { isContentType } from '../../domain/email/attachments.ts'
import type { TenantId } from '../../domain/ids.ts'
import type { Attachment } from '../../domain/message/message.ts'
import { refuse } from '../../flows/errors.ts'
import { instant, toIso } from '../../lib/time.ts'
import type { FindMail, ReceivedMail } from '../../ports/simulator-inbox.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { answers, RequestId, Time } from '../http/schemas.ts'
import { HARMLESS, toPage } from './mail-page.ts'
import { MailboxText, MailFields, toMailboxText, toMailFields } from './mail-view.ts'

export type SimulatorMailsDeps = Readonly<{ inbox: Readonly<{ mail: FindMail }>; guard: Guard }>

export function simulatorMailRoutes(app: Api, { inbox, guard }: SimulatorMailsDeps): void {
  const onRequest = guard('messages:read')
  const find = async (tenantId: TenantId, attemptId: string): Promise<ReceivedMail> => {
    const mail = await inbox.mail({ tenantId, attemptId })
    if (mail === undefined) throw refuse('NOT_FOUND', 'no such mail')
    return mail
  }

  app.get('/v1/simulator/mails/:attempt_id', { schema: MAIL, onRequest }, async (request) =>
    toView(await find(callerOf(request).tenantId, request.params.attempt_id)),
  )

  app.get('/v1/simulator/mails/:attempt_id/html', { schema: PAGE, onRequest }, async (request, reply) => {
    const { letter } = await find(callerOf(request).tenantId, request.params.attempt_id)
    return reply.headers(HARMLESS).type('text/html; charset=utf-8').send(toPage(letter))
  })

  app.get('/v1/simulator/mails/:attempt_id/raw', { schema: SOURCE, onRequest }, async (request, reply) => {
    const { raw } = await find(callerOf(request).tenantId, request.params.attempt_id)
    reply.headers(HARMLESS).header('content-disposition', toDisposition('mail.eml'))
    return reply.type('message/rfc822').send(Buffer.from(raw))
  })

  app.get('/v1/simulator/mails/:attempt_id/attachments/:n', { schema: FILE, onRequest }, async (request, reply) => {
    const { letter } = await find(callerOf(request).tenantId, request.params.attempt_id)
    const attachment = letter.attachments?.[request.params.n]
    if (attachment === undefined) throw refuse('NOT_FOUND', 'no such attachment')
    reply.headers(HARMLESS).header('content-disposition', toDisposition(attachment.filename))
    return reply.type(toType(attachment)).send(Buffer.from(attachment.content, 'base64'))
  })
}

/** The name twice: for all (RFC 6266), and for those who know no letters but ours. */
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

const Mail = Type.Object({
  to: Type.String({ examples: ['ada@example.com'] }),
  from: MailboxText,
  bcc: Type.Array(MailboxText),
  ...MailFields,
  message_id: RequestId,
  received_at: Time,
})

const ofMail = {
  tags: ['simulator'],
  params: Type.Object({ attempt_id: Type.String({ description: 'The `attempt_id` of a mail in the inbox.' }) }),
}

const MAIL = {
  ...ofMail,
  operationId: 'getSimulatorMail',
  summary: 'A mail that a simulated mailbox received',
  description: 'With all that was handed over; who got hidden copies is told here and nowhere else.',
  response: answers({ 200: { description: 'The mail.', schema: Mail } }, 'NOT_FOUND'),
}

const PAGE = {
  ...ofMail,
  operationId: 'getSimulatorMailPage',
  summary: 'A mail as it looks',
  description: 'Its html, with the pictures that came along, under a policy that lets it run and load nothing.',
  response: answers({ 200: { description: 'The page.', schema: Type.String(), type: 'text/html' } }, 'NOT_FOUND'),
}

const SOURCE = {
  ...ofMail,
  operationId: 'getSimulatorMailSource',
  summary: 'The source of a mail',
  description: 'By RFC 5322, as the mailbox got it.',
  response: answers(
    { 200: { description: 'The source.', schema: Type.String(), type: 'message/rfc822' } },
    'NOT_FOUND',
  ),
}

const FILE = {
  tags: ['simulator'],
  params: Type.Object({
    ...ofMail.params.properties,
    n: Type.Integer({ minimum: 0, description: 'Its place in `attachments`, from 0.' }),
  }),
  operationId: 'getSimulatorMailAttachment',
  summary: 'What came with a mail',
  description: 'The bytes of one attachment, to be kept and not to be shown.',
  response: answers(
    {
      200: {
        description: 'The bytes, under the type that the caller gave.',
        schema: Type.String({ format: 'binary' }),
        type: 'application/octet-stream',
      },
    },
    'VALIDATION_ERROR',
    'NOT_FOUND',
  ),
}
