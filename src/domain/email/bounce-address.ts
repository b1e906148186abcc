/**
 * The address that bounces of one attempt come back to: `bounces+<message>.<cycle>.<attempt>.<mac>@domain` (VERP). Only
 * those who have handled the mail can know it, because of the MAC. All of it is in lower case: some servers change case.
 */
import { type AttemptRef, parseMessageId } from '../ids.ts'
import { type EmailAddress, parseEmailAddress } from './address.ts'

/** Sixteen hexadecimal digits for a text, which nobody else can calculate. */
export type BounceMac = (text: string) => string

const LOCAL =
  /^bounces\+([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})\.([1-9]\d{0,8})\.([1-9]\d{0,8})$/

/** Undefined for an attempt with so many before it that the address would be too long. */
export function toBounceAddress(
  { messageId, cycle, attempt }: AttemptRef,
  domain: string,
  mac: BounceMac,
): EmailAddress | undefined {
  const local = `bounces+${messageId.replaceAll('-', '')}.${cycle}.${attempt}`
  return parseEmailAddress(`${local}.${mac(local)}@${domain}`)
}

/** Undefined for an address that we did not make. `isSame` compares in constant time. */
export function parseBounceAddress(
  address: string,
  domain: string,
  mac: BounceMac,
  isSame: (expected: string, given: string) => boolean,
): AttemptRef | undefined {
  const text = address.toLowerCase()
  if (!text.endsWith(`@${domain}`)) return undefined
  const local = text.slice(0, -domain.length - 1)
  const dot = local.lastIndexOf('.')
  const [, a, b, c, d, e, cycle, attempt] = LOCAL.exec(local.slice(0, dot)) ?? []
  const messageId = parseMessageId(`${a}-${b}-${c}-${d}-${e}`)
  if (messageId === undefined || !isSame(mac(local.slice(0, dot)), local.slice(dot + 1))) return undefined
  return { messageId, cycle: Number(cycle), attempt: Number(attempt) }
}
