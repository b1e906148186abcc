import type { Brand } from '../../lib/brand.ts'

/** A phone number in E.164, with its plus. */
export type PhoneNumber = Brand<string, 'PhoneNumber'>

const E164 = /^\+[1-9]\d{1,14}$/

export const parsePhoneNumber = (text: string): PhoneNumber | undefined =>
  E164.test(text) ? (text as PhoneNumber) : undefined

/** `+*******1234`: the last four digits and nothing of the length; a number that short shows none. */
export const maskPhoneNumber = (phone: PhoneNumber): string => `+*******${phone.length > 5 ? phone.slice(-4) : ''}`
