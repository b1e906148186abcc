/** The message being composed. */
import { SEND_TEXTS } from '../../texts/send.ts'

export const KINDS = ['sms', 'email', 'otp'] as const
export type Kind = (typeof KINDS)[number]
export type Channel = 'sms' | 'email'

/** A template of the channel, and what its fields need to be sent. */
export type ChosenTemplate = Readonly<{ channel: Channel; name: string; locale: string; source: string }>

export type Draft = Readonly<{
  kind: Kind
  /** Kept separately, so that switching the kind loses neither. */
  phone: string
  address: string
  sender: string
  from: string
  message: string
  isFlash: boolean
  subject: string
  html: string
  files: readonly File[]
  template: ChosenTemplate | undefined
  /** What the fields of the template contain. */
  values: Readonly<Record<string, string>>
  codeBy: Channel
  appName: string
  tags: string
  metadata: string
  expiresAt: string | undefined
  callbackUrl: string
  /** Empty for a new key with each message. */
  key: string
  /** The key of a message without a key of its own: a repeated call after an error does not send twice. */
  newKey: string
}>

export const newKey = (): string => `console-${crypto.getRandomValues(new Uint32Array(2)).join('-')}`

/** What links to this page may fill in; `sample` asks for sample texts. */
export type Prefill = Readonly<{ kind?: string; to?: string; sample?: string }>

export function newDraft({ kind, to = '', sample }: Prefill, allowed: Kind = 'sms'): Draft {
  // An unescaped + in a URL decodes to a space.
  const recipient = to.replace(/^ /, '+')
  const isMail = recipient.includes('@')
  const T = SEND_TEXTS.samples
  const [message, subject, html] = sample === undefined ? ['', '', ''] : [T.message, T.subject, T.html]
  return {
    kind: KINDS.find((one) => one === kind) ?? (recipient === '' ? allowed : isMail ? 'email' : 'sms'),
    phone: isMail ? '' : recipient,
    address: isMail ? recipient : '',
    sender: '',
    from: '',
    message,
    isFlash: false,
    subject,
    html,
    files: [],
    template: undefined,
    values: {},
    codeBy: isMail ? 'email' : 'sms',
    appName: '',
    tags: '',
    metadata: '',
    expiresAt: undefined,
    callbackUrl: '',
    key: '',
    newKey: newKey(),
  }
}

export const channelOf = ({ kind, codeBy }: Draft): Channel => (kind === 'otp' ? codeBy : kind)

/** Phone numbers are often pasted with spaces and brackets. */
export const recipientOf = (draft: Draft): string =>
  channelOf(draft) === 'sms' ? draft.phone.replaceAll(/[\s().-]/g, '') : draft.address.trim()

export const senderOf = ({ kind, sender, from }: Draft): string =>
  kind === 'otp' ? '' : (kind === 'sms' ? sender : from).trim()

type TemplateName = Readonly<{ name: string; locale: string }>

/** A name may exist in several locales. */
export const keyOf = ({ name, locale }: TemplateName): string => `${name} (${locale})`

/** The page with this template chosen. */
export const toTemplateAddress = (template: TemplateName & Readonly<{ channel: Channel }>): string =>
  `/send?${new URLSearchParams({ kind: template.channel, template: keyOf(template) })}`

/** The chosen template, if it is for this kind of message. */
export const templateOf = ({ kind, template }: Draft): ChosenTemplate | undefined =>
  template?.channel === kind ? template : undefined

export const SCOPES = { sms: 'sms:send', email: 'email:send', otp: 'otp' } as const
