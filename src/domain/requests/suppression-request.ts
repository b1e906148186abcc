/** Parses a request to suppress an address, and reports every problem. */

import { omitUndefined } from '../../lib/omit-undefined.ts'
import { isSingleLine } from '../../lib/single-line.ts'
import type { Instant } from '../../lib/time.ts'
import { type EmailAddress, parseEmailAddress, toComparableAddress } from '../email/address.ts'
import type { PersonalReason, Suppression } from '../email/suppression.ts'
import type { TenantId } from '../ids.ts'
import { type Bad, type FieldProblem, noteIn, readDeadline } from './request-fields.ts'

export const MAX_NOTE = 200

/** The fields as received, their JSON types already checked. */
type SuppressionFields = Readonly<{
  address: string
  reason?: PersonalReason
  note?: string
  expires_at?: string
}>

export type ParsedSuppression =
  | Readonly<{ kind: 'ok'; suppression: Suppression }>
  | Readonly<{ kind: 'bad'; problems: readonly FieldProblem[] }>

/** The address in comparable form. */
export function parseSuppressed(text: string): EmailAddress | undefined {
  const address = parseEmailAddress(text)
  return address === undefined ? undefined : toComparableAddress(address)
}

/** `within` is the JSON pointer of the object that contains the fields. */
export function parseSuppression(
  tenantId: TenantId,
  { address: said, reason = 'manual', note, expires_at: end }: SuppressionFields,
  at: Instant,
  within = '',
): ParsedSuppression {
  const problems: FieldProblem[] = []
  const put = noteIn(problems)
  const bad: Bad = (path, message) => put(`${within}/${path}`, message)
  const address = parseSuppressed(said) ?? bad('address', 'must be an email address, for example ana@example.com')
  const expiresAt = end === undefined ? undefined : readDeadline(end, bad)
  if (expiresAt !== undefined && expiresAt <= at) bad('expires_at', 'must be in the future')
  if (note !== undefined && !isSingleLine(note)) bad('note', 'must be printable characters on one line')
  if (address === undefined || problems.length > 0) return { kind: 'bad', problems }
  return { kind: 'ok', suppression: omitUndefined({ tenantId, address, reason, note, createdAt: at, expiresAt }) }
}
