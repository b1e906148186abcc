/**
 * What a text typed or pasted into a search may mean, the most specific interpretation first and words last. A search tries
 * them in this order. Total: every text means something.
 *
 * | text                                           | interpretations besides `words`                             |
 * |------------------------------------------------|-------------------------------------------------------------|
 * | `status:failed to:+15005550100 order`          | `filters`: operators, metadata fields and words, all of which must match |
 * | `order:A-17`                                   | `metadata`                                                  |
 * | a UUID, or 8 of its hexadecimal digits or more | `message_id`                                                |
 * | `+1 (500) 555-0100`, `ana@example.com`         | `recipient`                                                 |
 * | a text without spaces                          | the ids, names and codes that may be spelt so               |
 */
import { type EmailAddress, parseEmailAddress } from '../email/address.ts'
import { type BatchId, type MessageId, parseBatchId, parseMessageId } from '../ids.ts'
import { CHANNELS, type Channel, LANES, type Lane } from '../message/message.ts'
import { type PhoneNumber, parsePhoneNumber } from '../message/phone-number.ts'
import { STATUSES, type Status } from '../message/states.ts'

export const INTERPRETATIONS = [
  'filters',
  'metadata',
  'recipient',
  'message_id',
  'provider_message_id',
  'idempotency_key',
  'batch',
  'template',
  'error_code',
  'tag',
  'words',
] as const
export type InterpretationKind = (typeof INTERPRETATIONS)[number]

/** All must match. */
export type Terms = Readonly<{
  id?: MessageId
  idPrefix?: string
  to?: PhoneNumber | EmailAddress
  providerMessageId?: string
  idempotencyKey?: string
  batchId?: BatchId
  template?: string
  errorCode?: string
  provider?: string
  status?: Status
  channel?: Channel
  lane?: Lane
  tag?: readonly string[]
  metadata?: readonly string[]
  text?: string
}>

/** No two of one text have the same kind. */
export type Interpretation = Readonly<{ kind: InterpretationKind; terms: Terms }>

export function interpret(text: string): readonly Interpretation[] {
  const found = INTERPRETATIONS.flatMap((kind): readonly Interpretation[] => {
    const terms = READERS[kind](text)
    return terms === undefined ? [] : [{ kind, terms }]
  })
  const only = onlyKinds(text)
  return only === undefined ? found : found.filter(({ kind }) => only.includes(kind))
}

/** A full phone number or address is hardly anything else, except that providers make ids that look like addresses. */
function onlyKinds(text: string): readonly InterpretationKind[] | undefined {
  if (parseRecipient(text) === undefined) return undefined
  if (text.includes('@')) return ['recipient', 'provider_message_id', 'words']
  return text.trim().startsWith('+') ? ['recipient', 'words'] : undefined
}

type Reader = (text: string) => Terms | undefined

const READERS: Readonly<Record<InterpretationKind, Reader>> = {
  filters: toFilters,
  metadata(text) {
    const tokens = toTokens(text)
    return tokens.some(({ key }) => key !== undefined) ? combine(tokens.map(toTerms)) : undefined
  },
  recipient(text) {
    const to = parseRecipient(text)
    return to && { to }
  },
  message_id: readId,
  provider_message_id: (text) => ifSingle(text, 998, (providerMessageId) => ({ providerMessageId })),
  idempotency_key: (text) =>
    ifSingle(text, 255, (idempotencyKey) => (/^[\x21-\x7e]+$/.test(idempotencyKey) ? { idempotencyKey } : undefined)),
  batch(text) {
    const batchId = parseBatchId(text.trim())
    return batchId && { batchId }
  },
  template: (text) => (TEMPLATE.test(text.trim()) ? { template: text.trim() } : undefined),
  error_code: (text) => ifSingle(text, 200, (errorCode) => ({ errorCode })),
  tag: (text) => (isShort(text.trim(), 64) ? { tag: [text.trim()] } : undefined),
  words: (text) => ({ text }),
}

const TEMPLATE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

const isShort = (text: string, most: number): boolean => text !== '' && text.length <= most

function ifSingle(text: string, most: number, read: (token: string) => Terms | undefined): Terms | undefined {
  const token = text.trim()
  return isShort(token, most) && !/\s/.test(token) ? read(token) : undefined
}

const ID_DIGITS = 32
const LEAST_DIGITS = 8

/** A message id, whole or from its beginning, with or without dashes. */
function readId(text: string): Terms | undefined {
  const digits = text.trim().toLowerCase().replaceAll('-', '')
  if (!/^[0-9a-f]+$/.test(digits) || digits.length < LEAST_DIGITS || digits.length > ID_DIGITS) return undefined
  const dashed = digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  const id = parseMessageId(dashed)
  return id === undefined ? { idPrefix: digits } : { id }
}

const LEAST_PHONE_DIGITS = 7

/**
 * A full phone number as people write it, or an email address. The plus may be `00`, missing, or a space: in a query
 * string an unescaped plus decodes to one.
 */
export function parseRecipient(text: string): PhoneNumber | EmailAddress | undefined {
  const trimmed = text.trim()
  if (trimmed.includes('@')) return parseEmailAddress(trimmed)
  // The trunk prefix in `+49 (0) 151`.
  const written = trimmed.replace(/\(0\)/, '').replace(/[\s().\-/]/g, '')
  const [, plus, digits = ''] = /^(\+|00)?(\d+)$/.exec(written) ?? []
  if (plus === undefined && digits.length < LEAST_PHONE_DIGITS) return undefined
  return parsePhoneNumber(`+${digits}`)
}

/** What `key:value` filters by, for the keys that are operators. Undefined if the value cannot be one. */
const OPERATORS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['id', readId],
  ['to', READERS.recipient],
  ['batch', READERS.batch],
  ['template', READERS.template],
  ['error', (value) => ({ errorCode: value })],
  ['provider', (value) => ({ provider: value })],
  ['provider_message_id', (value) => ({ providerMessageId: value })],
  ['idempotency_key', (value) => ({ idempotencyKey: value })],
  ['tag', (value) => ({ tag: [value] })],
  ['status', (value) => optional('status', oneOf(STATUSES, value))],
  ['channel', (value) => optional('channel', oneOf(CHANNELS, value))],
  ['lane', (value) => optional('lane', oneOf(LANES, value))],
])

const oneOf = <Value extends string>(values: readonly Value[], text: string): Value | undefined =>
  values.find((value) => value === text.toLowerCase())

const optional = <Name extends keyof Terms>(name: Name, value: Terms[Name] | undefined): Terms | undefined =>
  value === undefined ? undefined : { [name]: value }

/** `key:value`, or a word. */
type Token = Readonly<{ key?: string; value: string }>

/** Key and value may be quoted, as may words. */
const TOKEN = /(?:"([^"]*)"|([^\s:"]+)):(?:"([^"]*)"|([^\s"]+))|"([^"]*)"|(\S+)/g

function toTokens(text: string): readonly Token[] {
  // A plus that a query string has decoded to a space.
  const whole = text.replace(/(?<=(?:^|\s)to:) (?=\d)/g, '+')
  return [...whole.matchAll(TOKEN)].map(([, quotedKey, key, quotedValue, value, quoted, word]) => {
    const given = quotedKey ?? key
    return given === undefined ? { value: quoted ?? word ?? '' } : { key: given, value: quotedValue ?? value ?? '' }
  })
}

/** A metadata field, or a word. */
const toTerms = ({ key, value }: Token): Terms =>
  key === undefined ? { text: value } : { metadata: [`${key}:${value}`] }

const toOperation = ({ key, value }: Token): Terms | undefined =>
  key === undefined ? undefined : OPERATORS.get(key.toLowerCase())?.(value)

/** Undefined without an operator. */
function toFilters(text: string): Terms | undefined {
  const tokens = toTokens(text)
  if (!tokens.some((token) => toOperation(token) !== undefined)) return undefined
  return combine(tokens.map((token) => toOperation(token) ?? toTerms(token)))
}

/** Undefined where no message can match all. */
function combine(parts: readonly Terms[]): Terms | undefined {
  let all: Terms | undefined = {}
  for (const part of parts) all = all && both(all, part)
  return all
}

function both(one: Terms, other: Terms): Terms | undefined {
  const { tag: tags, metadata: fields, text, ...rest } = other
  const { tag = tags, metadata = fields, text: said = text } = one
  const single = bothSingle(one, rest)
  return (
    single && {
      ...single,
      ...optional('tag', one.tag && tags ? [...one.tag, ...tags] : tag),
      ...optional('metadata', one.metadata && fields ? [...one.metadata, ...fields] : metadata),
      ...optional('text', one.text !== undefined && text !== undefined ? `${one.text} ${text}` : said),
    }
  )
}

/** A message has only one of each. */
function bothSingle(one: Terms, other: Terms): Terms | undefined {
  for (const name in other) {
    const [first, second] = [one[name as keyof Terms], other[name as keyof Terms]]
    if (first !== undefined && first !== second) return undefined
  }
  return { ...one, ...other }
}
