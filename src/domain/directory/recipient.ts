/** Somebody in a tenant's directory, whom messages can name instead of an address. */
import type { Brand } from '../../lib/brand.ts'
import type { Instant } from '../../lib/time.ts'
import type { EmailAddress } from '../email/address.ts'
import { parseMessageId, type TenantId } from '../ids.ts'
import type { PhoneNumber } from '../message/phone-number.ts'

export type RecipientId = Brand<string, 'RecipientId'>

/** UUIDs, as the ids of messages are. */
export const parseRecipientId = (text: string): RecipientId | undefined =>
  parseMessageId(text) as string as RecipientId | undefined

export type Entry = Readonly<{
  /** What the tenant calls them; no two of a tenant share one. */
  externalId?: string
  name?: string
  phone?: PhoneNumber
  email?: EmailAddress
  /** A BCP 47 tag: which of a template's texts they get. */
  locale?: string
}>

export type DirectoryEntry = Entry &
  Readonly<{ id: RecipientId; tenantId: TenantId; createdAt: Instant; updatedAt: Instant }>
