/** What the audit log may keep of a resource: no texts, no secrets, no personal data, and never much. */
import { hash } from 'node:crypto'
import type { AuditSnapshot } from '../../domain/access/audit.ts'
import { maskEmailAddress, parseEmailAddress } from '../../domain/email/address.ts'
import { maskPhoneNumber, parsePhoneNumber } from '../../domain/message/phone-number.ts'

const MAX_BYTES = 16 * 1024

const sha256 = (text: string): string => hash('sha256', text)

/** Identifies a text without containing it. */
export type TextDigest = Readonly<{ sha256: string; length: number }>

export const toTextDigest = (text: string): TextDigest => ({ sha256: sha256(text), length: text.length })

/** A snapshot that would be too large is replaced by its digest. */
export function toBounded(snapshot: AuditSnapshot): AuditSnapshot {
  const text = JSON.stringify(snapshot)
  return Buffer.byteLength(text) <= MAX_BYTES ? snapshot : { too_large: toTextDigest(text) }
}

const HIDDEN = '***'

/** A phone number or an email address, masked as in logs. */
export function maskAddress(text: string): string {
  const phone = parsePhoneNumber(text)
  if (phone !== undefined) return maskPhoneNumber(phone)
  const email = parseEmailAddress(text)
  return email === undefined ? HIDDEN : maskEmailAddress(email)
}

export const hideText = (text: string | null): string | null => (text === null ? null : HIDDEN)
