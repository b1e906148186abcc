/** The arguments that several tools have in common. The gateway validates them; these bounds only keep them small. */
import { z } from 'zod'

const MODES = ['live', 'test'] as const

export const Mode = z
  .enum(MODES)
  .default('live')
  .describe('`test` for the messages of send_test_message, which are kept apart from live ones.')

/** The gateway validates it: its pattern would be long. */
export const Time = z.string().max(40).describe('A time as in 2030-01-31T12:00:00Z.')

export const MessageIdInput = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, 'must be the full id of a message')
  .describe('The full id of a message, as find_messages returns it.')

/** The header that moves a call into test mode. */
export const inMode = (mode: (typeof MODES)[number]): Readonly<{ headers?: Readonly<Record<string, string>> }> =>
  mode === 'test' ? { headers: { 'pombo-mode': 'test' } } : {}

const Template = z
  .strictObject({
    name: z.string().max(64),
    data: z.record(z.string(), z.unknown()).optional().describe('The variables of the template.'),
    locale: z.string().max(35).optional(),
  })
  .describe('A saved template, instead of the text.')

const Recipient = {
  recipient_id: z.string().max(36).optional().describe('The id of a recipient in the directory, instead of `to`.'),
  recipient_external_id: z.string().max(128).optional().describe('Their external id, instead of `to`.'),
}

const Options = {
  lane: z.enum(['transactional', 'bulk']).optional(),
  metadata: z.record(z.string().max(64), z.string().max(512)).optional(),
  tags: z.array(z.string().max(64)).max(20).optional(),
  expires_at: Time.optional().describe('The message is not sent after this time, as 2030-01-31T12:00:00Z.'),
  idempotency_key: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe(
      'Without one, the same arguments send only once within 48 hours. Give a new one only to send the same again on purpose.',
    ),
}

const To = (what: string) => z.string().max(254).optional().describe(what)
const PHONE = 'A phone number in E.164 format, for example +5511987654321.'

const SMS = {
  message: z.string().max(10_000).optional().describe('The text of an SMS.'),
  sender_id: z.string().max(20).optional(),
  type: z.enum(['sms', 'flash_sms']).optional(),
}

const MAX_TEXT = 512 * 1024
const Mailbox = z.string().max(400)

const EMAIL = {
  subject: z.string().max(1_000).optional(),
  html: z.string().max(MAX_TEXT).optional().describe('The html of an email, without scripts.'),
  text: z.string().max(MAX_TEXT).optional().describe('The plain text of an email. None is made from the html.'),
  from: Mailbox.optional(),
  reply_to: Mailbox.optional(),
  cc: z.array(Mailbox).max(49).optional(),
  bcc: z.array(Mailbox).max(49).optional(),
}

export const SmsInput = z.strictObject({
  to: To(PHONE),
  ...Recipient,
  ...SMS,
  template: Template.optional(),
  ...Options,
})

export const EmailInput = z.strictObject({
  to: To('An email address.'),
  ...Recipient,
  ...EMAIL,
  template: Template.optional(),
  ...Options,
})

/** A message of either channel. */
export const AnyMessageInput = z.strictObject({
  channel: z.enum(['sms', 'email']).default('sms'),
  to: To(`${PHONE} Or an email address.`),
  ...Recipient,
  ...SMS,
  ...EMAIL,
  template: Template.optional(),
  ...Options,
})
