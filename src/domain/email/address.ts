import type { Brand } from '../../lib/brand.ts'

/** A mailbox, `local@domain`, without display name or comments. */
export type EmailAddress = Brand<string, 'EmailAddress'>

const LOCAL = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
// No top-level domain is numeric, so an IP address is not a domain.
const DOMAIN = new RegExp(`^(?:${LABEL}\\.)+(?!\\d+$)${LABEL}$`)

export function parseEmailAddress(text: string): EmailAddress | undefined {
  const at = text.lastIndexOf('@')
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)]
  if (at < 1 || local.length > 64 || text.length > 254) return undefined
  return LOCAL.test(local) && DOMAIN.test(domain) ? (`${local}@${domain.toLowerCase()}` as EmailAddress) : undefined
}

/** A domain in lower case, as parsed addresses have it. */
export const parseEmailDomain = (text: string): string | undefined =>
  text.length <= 253 && DOMAIN.test(text) && text === text.toLowerCase() ? text : undefined

/** Lower case throughout: hardly any mail server distinguishes case. */
export const toComparableAddress = (address: EmailAddress): EmailAddress => address.toLowerCase() as EmailAddress

/** `a***@domain`: the first letter and the domain. */
export const maskEmailAddress = (address: EmailAddress): string =>
  `${address.slice(0, 1)}***${address.slice(address.lastIndexOf('@'))}`
