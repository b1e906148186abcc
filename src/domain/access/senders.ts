/**
 * Senders, and the rules that list them: sender ids, numbers, domains and addresses. Rules and senders have keys in a
 * comparable form; a rule covers the senders that have its key. Sender ids with the same letters and digits look alike.
 */
import type { Brand } from '../../lib/brand.ts'
import { parseEmailAddress, parseEmailDomain, toComparableAddress } from '../email/address.ts'
import type { Channel, Content } from '../message/message.ts'
import { parseSenderId, type SenderId } from '../message/sender-id.ts'

export type SenderKey = Brand<string, 'SenderKey'>

export const SENDER_RULE =
  'a sender id, a number such as +15005550006, an email address, a domain such as acme.example, or *.acme.example for its subdomains'

/**
 * The key of `Acme`, `+15005550006`, `hello@acme.example`, `acme.example` (addresses at exactly that domain) or
 * `*.acme.example` (addresses at its subdomains). A sender id that looks like a domain has the key of that domain.
 */
export function parseSenderRule(text: string): SenderKey | undefined {
  const trimmed = text.trim()
  if (trimmed.includes('@')) {
    const address = parseEmailAddress(trimmed)
    return address === undefined ? undefined : (toComparableAddress(address) as string as SenderKey)
  }
  if (trimmed.startsWith('*.')) {
    const domain = parseEmailDomain(trimmed.slice(2).toLowerCase())
    return domain === undefined ? undefined : (`*.${domain}` as SenderKey)
  }
  const id = parseSenderId(trimmed)
  return id === undefined ? (parseEmailDomain(trimmed.toLowerCase()) as SenderKey | undefined) : keyOfSenderId(id)
}

/**
 * `keys` are those of the rules that cover the sender, `lookalikes` those of senders that recipients may take it for.
 * `domains` are those that it comes from, the closest first; those of a sender id are domains if it is written like one.
 */
export type Sender = Readonly<{
  channel: Channel
  keys: readonly SenderKey[]
  lookalikes: readonly SenderKey[]
  domains: readonly string[]
}>

/** The sender that the caller chose; undefined if the provider's own applies. */
export function toSender(content: Content): Sender | undefined {
  if (content.from === undefined) return undefined
  if (content.channel === 'sms') {
    const id = keyOfSenderId(content.from)
    const keys = keysOf(domainsOf(id))
    return { channel: 'sms', keys, lookalikes: keys.map(lookalikeOf), domains: domainsOf(toDomain(id)) }
  }
  const address = toComparableAddress(content.from.address)
  const domains = domainsOf(address)
  const keys = [address as string as SenderKey, ...keysOf(domains)]
  return { channel: 'email', keys, lookalikes: keys, domains }
}

/** The keys of the rules that cover a domain, given with its parents. */
const keysOf = ([domain = '', ...parents]: readonly string[]): readonly SenderKey[] =>
  [domain, ...parents.map((parent) => `*.${parent}`)] as readonly string[] as SenderKey[]

/** The domain of an address and its parents, the closest first. */
export function domainsOf(address: string): readonly string[] {
  const labels = address.slice(address.lastIndexOf('@') + 1).split('.')
  return labels.map((_, index) => labels.slice(index).join('.'))
}

/** Phones ignore case and show compatibility forms alike. Digits are a number, however it is written. */
function keyOfSenderId(id: SenderId): SenderKey {
  const text = id.normalize('NFKC')
  const number = text.replace(/[ .+-]/g, '')
  return (isNumber(number) ? withoutPrefix(number) : text.toLowerCase()) as SenderKey
}

const isNumber = (text: string): boolean => /^\d+$/.test(text)

/** `00` is the plus of an international number. */
const withoutPrefix = (number: string): string => number.replace(/^00+(?=\d)/, '')

/**
 * The key that a sender id shares with those that look like it: its letters and digits, after an asterisk if the given
 * key is about subdomains. It has no dot, unlike the keys of email. To upper case first, so that ς and σ are the same.
 */
export function lookalikeOf(key: SenderKey): SenderKey {
  if (key.includes('@')) return key
  const text = key
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '')
    .toUpperCase()
    .toLowerCase()
  return `${key.startsWith('*') ? '*' : ''}${isNumber(text) ? withoutPrefix(text) : text}` as SenderKey
}

/** The domain that a sender id is written like, whatever else is around its dots. */
const toDomain = (id: SenderKey): string =>
  id
    .replace(/[ _&+]/g, '')
    .replace(/[.-]*\.[.-]*/g, '.')
    .replace(/[.-]+$/, '')
