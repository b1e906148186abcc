/** An entry in a tenant's directory. A message can name its recipient by it instead of an address. */
import type { Brand } from '../../lib/brand.ts'
import type { Instant } from '../../lib/time.ts'
import type { EmailAddress } from '../email/address.ts'
import { parseMessageId, type TenantId } from '../ids.ts'
import type { PhoneNumber } from '../message/phone-number.ts'

export type RecipientId = Brand<string, 'RecipientId'>

/** UUIDs, like message ids. */
export const parseRecipientId = (text: string): RecipientId | undefined =>
  parseMessageId(text) as string as RecipientId | undefined

export type Entry = Readonly<{
  /** The tenant's own id for the recipient, unique within the tenant. */
  externalId?: string
  name?: string
  phone?: PhoneNumber
  email?: EmailAddress
  /** A BCP 47 tag that selects the template text. */
  locale?: string
}>

export type DirectoryEntry = Entry &
  Readonly<{ id: RecipientId; tenantId: TenantId; createdAt: Instant; updatedAt: Instant }>
