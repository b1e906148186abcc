import type { Brand } from '../../lib/brand.ts'
import { type Segmentation, toSegmentation } from './segments.ts'

/** A valid SMS text: trimmed, 1 to 1600 characters, with its encoding and number of parts. */
export type SmsBody = Brand<Readonly<{ text: string } & Segmentation>, 'SmsBody'>

export const MAX_SMS_CHARACTERS = 1600

/** Handsets cannot display lone surrogates or NUL. */
export function parseSmsBody(input: string): SmsBody | 'empty' | 'too-long' | 'not-text' {
  const text = input.trim()
  if (text.length === 0) return 'empty'
  if (text.length > MAX_SMS_CHARACTERS) return 'too-long'
  if (text.includes('\0') || !text.isWellFormed()) return 'not-text'
  const { encoding, units, segments } = toSegmentation(text)
  return { text, encoding, units, segments } as SmsBody
}
