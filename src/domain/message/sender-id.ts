import type { Brand } from '../../lib/brand.ts'

/** The sender of an SMS: a number, a short code or a name, as the operator allows. */
export type SenderId = Brand<string, 'SenderId'>

const SENDER = /^(?:\+\d{1,19}|[\p{L}\p{N}][\p{L}\p{N} ._&+-]{0,19})$/u

export function parseSenderId(text: string): SenderId | undefined {
  const trimmed = text.trim()
  return SENDER.test(trimmed) ? (trimmed as SenderId) : undefined
}
