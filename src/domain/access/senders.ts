/**
 * Senders, and the rules that list them: sender ids, numbers, domains and addresses. Rules and senders have keys in a
 * comparable form; a rule covers the senders that have its key.
 */
import type { Brand } from '../../lib/brand.ts'
import { parseEmailAddress, parseEmailDomain, toComparableAddress } from '../email/address.ts'
import type { Content } from '../message/message.ts'
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

/** `domains` are those that an email comes from, the closest first; for an SMS, the sender id if it is a domain. */
export type Sender = Readonly<{ keys: readonly SenderKey[]; domains: readonly string[] }>

/** The sender that the caller chose; undefined if the provider's own applies. */
export function toSender(content: Content): Sender | undefined {
  if (content.from === undefined) return undefined
  if (content.channel === 'sms') {
    const key = keyOfSenderId(content.from)
    return { keys: [key], domains: [key] }
  }
  const address = toComparableAddress(content.from.address)
  const domains = domainsOf(address)
  const [domain = '', ...parents] = domains
  return {
    keys: [address, domain, ...parents.map((parent) => `*.${parent}`)] as readonly string[] as SenderKey[],
    domains,
  }
}

/** The domain of an address and its parents, the closest first. */
export function domainsOf(address: string): readonly string[] {
  const labels = address.slice(address.lastIndexOf('@') + 1).split('.')
  return labels.map((_, index) => labels.slice(index).join('.'))
}

/** Phones ignore case and show compatibility forms alike. Digits are a number, with or without separators and plus. */
function keyOfSenderId(id: SenderId): SenderKey {
  const text = id.normalize('NFKC')
  const number = text.replace(/[ .+-]/g, '')
  return (/^\d+$/.test(number) ? number : text.toLowerCase()) as SenderKey
}
