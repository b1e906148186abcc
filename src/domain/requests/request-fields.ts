/** The fields that all send requests share, whatever the channel. */

import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Instant, parseInstant } from '../../lib/time.ts'
import type { RecipientId } from '../directory/recipient.ts'
import type { TemplateData } from '../directory/template-data.ts'
import type { NamedTemplate } from '../message/message.ts'

/** `code` is that of the check that the message would fail later, if any. */
export type FieldProblem = Readonly<{ path: string; message: string; code?: string }>

/** Records a problem of a field and returns undefined. */
export type Bad = (path: string, message: string, code?: string) => undefined

export const noteIn =
  (problems: FieldProblem[]): Bad =>
  (path, message, code) => {
    problems.push(code === undefined ? { path, message } : { path, message, code })
    return undefined
  }

/** The fields that replace an address and a text. */
export type NameFields = Readonly<{
  recipient_id?: string
  recipient_external_id?: string
  template?: Readonly<{ name: string; locale?: string; data?: TemplateData }>
}>

/** The same, parsed. */
export type Names = Readonly<{
  recipient?: Readonly<{ id: RecipientId } | { externalId: string }>
  template?: NamedTemplate
}>

/** The result. `to` and `text` are missing where nothing was named, or where a problem explains why. */
export type Composed<To, Text> = Readonly<{
  names: Names
  recipientId?: RecipientId
  /** The recipient's external id. */
  user?: string
  to?: To
  text?: Text
  problems: readonly FieldProblem[]
}>

/** The optional fields of every message. */
export type CommonFields = Readonly<{
  metadata?: Readonly<Record<string, string>>
  tags?: readonly string[]
  expires_at?: string
  callback_url?: string
}>

/** The recipient and the template as the content stores them. */
export function toNamed({ names: { recipient, template }, recipientId }: Composed<unknown, unknown>) {
  const recipientExternalId = recipient && 'externalId' in recipient ? recipient.externalId : undefined
  return omitUndefined({ recipientId, recipientExternalId, template })
}

/** The given address, or that of the named recipient. */
export function readAddress<To>(
  request: NameFields & Readonly<{ to?: string }>,
  composed: Composed<To, unknown> | undefined,
  address: Readonly<{ parse: (to: string) => To | undefined; wrong: string }>,
  bad: Bad,
): To | undefined {
  const { to, recipient_id: id, recipient_external_id: externalId } = request
  if (to === undefined) {
    if (id !== undefined && externalId !== undefined) return bad('recipient_external_id', beside('recipient_id'))
    return id === undefined && externalId === undefined ? bad('to', NO_ADDRESS) : composed?.to
  }
  if (id !== undefined) bad('recipient_id', beside('to'))
  if (externalId !== undefined) bad('recipient_external_id', beside('to'))
  return address.parse(to) ?? bad('to', address.wrong)
}

const NO_ADDRESS = 'is required unless recipient_id or recipient_external_id is given'
export const NO_TEXT = 'is required unless template is given'
export const NOT_TEXT = 'must be well-formed Unicode text without NUL characters'
export const beside = (other: string): string => `must not be given together with ${other}`

/** A past deadline is refused in `accept`: a repeated call may have become late. */
export function readDeadline(text: string, bad: Bad): Instant | undefined {
  return parseInstant(text) ?? bad('expires_at', 'must be an RFC 3339 date and time, for example 2030-01-31T12:00:00Z')
}

const NONE: readonly string[] = []

/** The paths of text that no store can keep. */
export function unprintable({ metadata, tags }: CommonFields): readonly string[] {
  if (metadata === undefined && tags === undefined) return NONE
  return [
    ...Object.entries(metadata ?? {}).flatMap(([key, value]) => (isText(key) && isText(value) ? [] : ['metadata'])),
    ...(tags ?? []).flatMap((tag, index) => (isText(tag) ? [] : [`tags/${index}`])),
  ]
}

export const isText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** Sorted, so that requests that differ only in the order of these fields are equal. */
export const sorted = (record: Readonly<Record<string, string>> | undefined): Readonly<Record<string, string>> =>
  record === undefined ? {} : Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)))
