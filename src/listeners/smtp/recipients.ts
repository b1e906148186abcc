/** Decides about recipients one by one, while the client still gets a reply for each. */
import { domainToASCII } from 'node:url'
import type { Caller } from '../../domain/access/caller.ts'
import { type EmailAddress, parseEmailAddress, toComparableAddress } from '../../domain/email/address.ts'
import { type SendQuotaDeps, sendQuotaExceeded } from '../../flows/access/quotas.ts'
import { unsendable } from '../../flows/access/unsendable.ts'
import type { UsableProvidersDeps } from '../../flows/access/usable-providers.ts'
import type { SuppressedDeps } from '../../flows/receive/suppress.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { Reply } from './replies.ts'

export type RecipientDeps = UsableProvidersDeps & SuppressedDeps & SendQuotaDeps

/** The library has decoded the domain, if it is an IDN. */
export function toAddress(text: string): EmailAddress | undefined {
  const at = text.lastIndexOf('@')
  return parseEmailAddress(`${text.slice(0, at)}@${domainToASCII(text.slice(at + 1))}`)
}

/** Throws a refusal or a reply. */
export async function checkRecipient(deps: RecipientDeps, { tenantId }: Caller, text: string): Promise<void> {
  const address = toAddress(text)
  if (address === undefined) throw isAscii(text) ? BAD_ADDRESS() : NOT_ASCII()
  const refusal = unsendable(deps, tenantId, 'email')
  if (refusal !== undefined) throw refusal
  const usedUp = deps.sendQuotas?.usedUp(tenantId)
  if (usedUp !== undefined) throw sendQuotaExceeded(usedUp)
  if (await isSuppressed(deps, tenantId, address)) throw SUPPRESSED()
}

async function isSuppressed(
  { suppressions, clock }: SuppressedDeps,
  tenantId: Caller['tenantId'],
  address: EmailAddress,
): Promise<boolean> {
  try {
    return (await suppressions.find(tenantId, [toComparableAddress(address)], clock())).length > 0
  } catch (error) {
    // As over HTTP: sending continues while the list is unavailable.
    if (error instanceof Unavailable) return false
    throw error
  }
}

const isAscii = (text: string): boolean => /^[!-~]*$/.test(text.slice(0, text.lastIndexOf('@')))
const BAD_ADDRESS = () => new Reply('553 5.1.3', 'The address is not valid')
const NOT_ASCII = () => new Reply('553 5.6.7', 'The part before the @ must be ASCII')
const SUPPRESSED = () => new Reply('550 5.1.1', 'The recipient is suppressed; see /v1/suppressions')
