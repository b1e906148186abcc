/** The API call of a draft: its path and body, or what is wrong with the draft. */
import { SEND_TEXTS } from '../../texts/send.ts'
import { type Draft, type Kind, recipientOf, templateOf } from './draft.ts'
import { toData } from './template-values.ts'

export type Flaw = Readonly<{ path: string; message: string }>

export type Attachment = Readonly<{ filename: string; content_type: string; content: string }>

/** The body that the API describes for each path. Attachments are read by the caller. */
export type Call = Readonly<{ path: string; body: Readonly<Record<string, unknown>> }>

export const PATHS = {
  sms: '/v1/sms/send',
  email: '/v1/email/send',
  otp: '/v1/otp/generate',
} as const satisfies Record<Kind, string>

export function toCall(draft: Draft, attachments: readonly Attachment[]): Call {
  const own = { sms: smsFields, email: emailFields, otp: codeFields }[draft.kind](draft)
  const body = {
    to: recipientOf(draft),
    ...own,
    ...(draft.kind === 'email' && attachments.length > 0 ? { attachments } : {}),
    ...(draft.kind === 'otp' ? {} : commonFields(draft)),
    idempotency_key: draft.key.trim() === '' ? draft.newKey : draft.key.trim(),
  }
  return { path: PATHS[draft.kind], body }
}

/** What the page itself can tell: the API would not understand it. */
export function flawsOf(draft: Draft): readonly Flaw[] {
  if (draft.kind === 'otp') return []
  const template = templateOf(draft)
  return [
    ...(template === undefined ? [] : toData(template.source, draft.values).flaws),
    ...parseMetadata(draft.metadata).flaws,
  ]
}

const smsFields = (draft: Draft) => ({
  ...(toTemplate(draft) ?? { message: draft.message }),
  ...given('sender_id', draft.sender),
  ...(draft.isFlash ? { type: 'flash_sms' } : {}),
})

const emailFields = (draft: Draft) => ({
  ...(toTemplate(draft) ?? { subject: draft.subject, html: draft.html }),
  ...given('from', draft.from),
})

const codeFields = ({ codeBy, appName }: Draft) => ({ channel: codeBy, ...given('app_name', appName) })

function toTemplate(draft: Draft) {
  const template = templateOf(draft)
  if (template === undefined) return undefined
  const { name, locale, source } = template
  const { data } = toData(source, draft.values)
  return { template: { name, locale, ...(Object.keys(data).length === 0 ? {} : { data }) } }
}

function commonFields({ tags, metadata, expiresAt, callbackUrl }: Draft) {
  const parsed = parseMetadata(metadata).metadata
  return {
    ...(parseTags(tags).length === 0 ? {} : { tags: parseTags(tags) }),
    ...(Object.keys(parsed).length === 0 ? {} : { metadata: parsed }),
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
    ...given('callback_url', callbackUrl),
  }
}

const given = <Name extends string>(name: Name, text: string): Partial<Record<Name, string>> =>
  text.trim() === '' ? {} : ({ [name]: text.trim() } as Record<Name, string>)

/** Separated by commas. */
export const parseTags = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  ),
]

type Metadata = Readonly<{ metadata: Readonly<Record<string, string>>; flaws: readonly Flaw[] }>

/** One `key=value` a line. */
export function parseMetadata(text: string): Metadata {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const pairs = lines.map((line) => {
    const at = line.indexOf('=')
    return at <= 0 ? undefined : ([line.slice(0, at).trim(), line.slice(at + 1).trim()] as const)
  })
  const bad = pairs.findIndex((pair) => pair === undefined || pair[0] === '')
  const flaws = bad < 0 ? [] : [{ path: '/metadata', message: SEND_TEXTS.metadataBad(lines[bad] ?? '') }]
  return { metadata: Object.fromEntries(pairs.filter((pair) => pair !== undefined)), flaws }
}
