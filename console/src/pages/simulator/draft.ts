/** The message being composed, and the API call that sends it. */
import { api, unwrap } from '../../api/client.ts'
import { TEXTS } from '../../texts.ts'

export const KINDS = ['sms', 'email', 'otp'] as const
export type Kind = (typeof KINDS)[number]
export type Channel = 'sms' | 'email'

export type Draft = Readonly<{
  kind: Kind
  /** Kept separately, so that switching the kind loses neither. */
  phone: string
  address: string
  sender: string
  message: string
  isFlash: boolean
  subject: string
  html: string
  files: readonly File[]
  codeBy: Channel
  appName: string
  key: string
}>

const T = TEXTS.simulator.send

export const newKey = (): string => `console-${crypto.getRandomValues(new Uint32Array(2)).join('-')}`

export const newDraft = (kind: Kind = 'sms'): Draft => ({
  kind,
  phone: '+15005550100',
  address: 'ada@sim.pombo.test',
  sender: 'Acme',
  message: T.message0,
  isFlash: false,
  subject: T.subject0,
  html: T.html0,
  files: [],
  codeBy: 'sms',
  appName: 'Acme',
  key: newKey(),
})

export const channelOf = ({ kind, codeBy }: Draft): Channel => (kind === 'otp' ? codeBy : kind)
export const recipientOf = (draft: Draft): string => (channelOf(draft) === 'sms' ? draft.phone : draft.address).trim()
export const withRecipient = (draft: Draft, to: string): Draft =>
  channelOf(draft) === 'sms' ? { ...draft, phone: to } : { ...draft, address: to }

export const SCOPES = { sms: 'sms:send', email: 'email:send', otp: 'otp' } as const

/** The part of the response that is shown. */
export type Accepted = Readonly<{ id: string; challengeId?: string; segments?: number; isReplayed: boolean }>

export function submit(draft: Draft): Promise<Accepted> {
  if (draft.kind === 'sms') return sendSms(draft)
  return draft.kind === 'email' ? sendEmail(draft) : sendCode(draft)
}

const isReplayed = (response: Response): boolean => response.headers.get('idempotent-replayed') === 'true'

async function sendSms(draft: Draft): Promise<Accepted> {
  const { message, sender, isFlash, key } = draft
  const result = await api.POST('/v1/sms/send', {
    body: {
      to: recipientOf(draft),
      message,
      ...(sender === '' ? {} : { sender_id: sender }),
      ...(isFlash ? { type: 'flash_sms' as const } : {}),
      ...toKey(key),
    },
  })
  const { id, segments } = await unwrap(result)
  return { id, segments, isReplayed: isReplayed(result.response) }
}

async function sendEmail(draft: Draft): Promise<Accepted> {
  const { subject, html, files, key } = draft
  const attachments = await Promise.all(files.map(toAttachment))
  const result = await api.POST('/v1/email/send', {
    body: {
      to: recipientOf(draft),
      subject,
      html,
      ...(attachments.length === 0 ? {} : { attachments }),
      ...toKey(key),
    },
  })
  const { id } = await unwrap(result)
  return { id, isReplayed: isReplayed(result.response) }
}

async function sendCode(draft: Draft): Promise<Accepted> {
  const { codeBy: channel, appName, key } = draft
  const result = await api.POST('/v1/otp/generate', {
    body: { to: recipientOf(draft), channel, ...(appName === '' ? {} : { app_name: appName }), ...toKey(key) },
  })
  const { message_id: id, challenge_id: challengeId } = await unwrap(result)
  return { id, challengeId, isReplayed: isReplayed(result.response) }
}

/** Omitted when empty; the API then reports it as missing. */
const toKey = (key: string): { idempotency_key?: string } => (key === '' ? {} : { idempotency_key: key })

async function toAttachment(file: File) {
  return {
    filename: file.name,
    content_type: file.type === '' ? 'application/octet-stream' : file.type,
    content: toBase64(new Uint8Array(await file.arrayBuffer())),
  }
}

const toBase64 = (bytes: Uint8Array): string => btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ''))
