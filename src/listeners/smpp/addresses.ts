/** The addresses of short messages, in the forms in which the API takes them. */
import type { SmppAddress } from '../../domain/message/receipt-request.ts'

const UNKNOWN = 0
const INTERNATIONAL = 1
const DIGITS = /^\d+$/
/** How many write an international number without saying so. */
const PREFIX = /^(?:\+|00)/

/** In E.164, if it is a number; undefined for types of number that do not name a country. */
export function toRecipient({ ton, address }: SmppAddress): string | undefined {
  if (ton !== UNKNOWN && ton !== INTERNATIONAL) return undefined
  return `+${address.replace(PREFIX, '')}`
}

/** Undefined for the sender of the provider. An international number gets its plus; everything else stays as it is. */
export function toSenderId({ ton, address }: SmppAddress): string | undefined {
  if (address === '') return undefined
  return ton === INTERNATIONAL && DIGITS.test(address) ? `+${address}` : address
}
