/** Reads directory, limits, routes and the like from table rows. SQLite and PostgreSQL use the same column names. */

import type { DirectoryEntry, RecipientId } from '../../domain/directory/recipient.ts'
import { type Template, type TemplateSummary, toExcerpt } from '../../domain/directory/template.ts'
import type { EmailAddress } from '../../domain/email/address.ts'
import type { Suppression, SuppressionReason } from '../../domain/email/suppression.ts'
import type { AccountId, EndpointId, MessageId, RouteId, TenantId } from '../../domain/ids.ts'
import type { Erasure } from '../../domain/message/erasure.ts'
import type { Channel } from '../../domain/message/message.ts'
import type { PhoneNumber } from '../../domain/message/phone-number.ts'
import type { Challenge, CodeHash } from '../../domain/otp/challenge.ts'
import type { OwnRoute } from '../../domain/routing/routing.ts'
import type { DisabledReason, Endpoint } from '../../domain/webhooks/endpoint.ts'
import { instant } from '../../lib/time.ts'
import { wellFormed } from './cursors.ts'

export type Row = Readonly<Record<string, unknown>>

type ChallengeTerms = Pick<Challenge, 'shape' | 'recipient'>

/** What is stored of a challenge in one column; null for the terms of earlier releases. */
export const toChallengeTerms = ({ shape, recipient }: ChallengeTerms): string | null =>
  shape === undefined && recipient === undefined ? null : JSON.stringify({ shape, recipient })

export function toChallenge(row: Row): Challenge {
  const { hash, verified_at: verifiedAt, canceled_at: canceledAt, terms } = row
  return {
    id: String(row['id']) as MessageId,
    tenantId: String(row['tenant']) as TenantId,
    accountId: String(row['account']) as AccountId,
    maxAttempts: Number(row['max_attempts']),
    attempts: Number(row['attempts']),
    createdAt: instant(Number(row['created_at'])),
    expiresAt: instant(Number(row['expires_at'])),
    ...(typeof hash === 'string' ? { hash: hash as CodeHash } : {}),
    ...(typeof verifiedAt === 'number' ? { verifiedAt: instant(verifiedAt) } : {}),
    ...(typeof canceledAt === 'number' ? { canceledAt: instant(canceledAt) } : {}),
    ...(typeof terms === 'string' ? (JSON.parse(terms) as ChallengeTerms) : {}),
  }
}

export function toDirectoryEntry(row: Row): DirectoryEntry {
  const { external_id: externalId, name, phone, email, locale } = row
  return {
    id: String(row['id']) as RecipientId,
    tenantId: String(row['tenant']) as TenantId,
    ...(typeof externalId === 'string' ? { externalId } : {}),
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof phone === 'string' ? { phone: phone as PhoneNumber } : {}),
    ...(typeof email === 'string' ? { email: email as EmailAddress } : {}),
    ...(typeof locale === 'string' ? { locale } : {}),
    createdAt: instant(Number(row['created_at'])),
    updatedAt: instant(Number(row['updated_at'])),
  }
}

export const toErasureRow = (row: Row): Erasure => JSON.parse(String(row['body'])) as Erasure

export function toSuppression(row: Row): Suppression {
  const { note, message, expires_at: expiresAt } = row
  return {
    tenantId: String(row['tenant']) as TenantId,
    address: String(row['address']) as EmailAddress,
    reason: row['reason'] as SuppressionReason,
    ...(typeof note === 'string' ? { note } : {}),
    ...(typeof message === 'string' ? { messageId: message as MessageId } : {}),
    createdAt: instant(Number(row['created_at'])),
    ...(typeof expiresAt === 'number' ? { expiresAt: instant(expiresAt) } : {}),
  }
}

export const toTemplate = (row: Row): Template => ({
  tenantId: String(row['tenant']) as TenantId,
  name: String(row['name']),
  locale: String(row['locale']),
  channel: row['channel'] as Channel,
  texts: JSON.parse(String(row['texts'])) as Template['texts'],
  version: Number(row['version']),
  createdAt: instant(Number(row['created_at'])),
})

/** The columns of a summary: the texts are JSON that begins with `text`. */
export const TEMPLATE_SUMMARY =
  'tenant, name, locale, version, channel, created_at, octet_length(texts) as size, substr(texts, 1, 400) as head'

const HEAD = /^\{"text":("(?:[^"\\]|\\(?:u[0-9a-f]{4}|[^u]))*)/i

export function toTemplateSummary(row: Row): TemplateSummary {
  const [, begun = '"'] = HEAD.exec(String(row['head'])) ?? []
  return {
    tenantId: String(row['tenant']) as TenantId,
    name: String(row['name']),
    locale: String(row['locale']),
    channel: row['channel'] as Channel,
    version: Number(row['version']),
    createdAt: instant(Number(row['created_at'])),
    size: Number(row['size']),
    excerpt: toExcerpt(JSON.parse(`${begun}"`) as string),
  }
}

/** The cursor of a list of templates. Neither a name nor a locale contains a slash. */
export const toTemplateCursor = ({ name, locale }: Pick<Template, 'name' | 'locale'>): string => `${name}/${locale}`

export function parseTemplateCursor(cursor: string): readonly [name: string, locale: string] {
  const [, name = '', locale = ''] = wellFormed(/^([^/]+)\/([^/]+)$/.exec(cursor) ?? undefined)
  return [name, locale]
}

type Directions = Omit<OwnRoute, 'id' | 'tenantId' | 'own'>

/** The directions of a route, stored in one column. */
export const toDirections = ({
  id: _,
  tenantId: __,
  own: ___,
  ...said
}: Omit<OwnRoute, 'own'> & { own: unknown }): string => JSON.stringify(said satisfies Directions)

export const toOwnRoute = (row: Row): OwnRoute => ({
  ...(JSON.parse(String(row['directions'])) as Directions),
  id: String(row['id']) as RouteId,
  tenantId: String(row['tenant']) as TenantId,
  own: {
    version: Number(row['version']),
    createdAt: instant(Number(row['created_at'])),
    updatedAt: instant(Number(row['updated_at'])),
  },
})

export function toEndpoint(row: Row): Endpoint {
  const { description, previous_secret_until: previousUntil, disabled, failing_since: failingSince } = row
  return {
    id: String(row['id']) as EndpointId,
    tenantId: String(row['tenant']) as TenantId,
    accountId: String(row['account']) as AccountId,
    url: String(row['url']),
    ...(typeof description === 'string' ? { description } : {}),
    events: JSON.parse(String(row['events'])) as Endpoint['events'],
    secretVersion: Number(row['secret_version']),
    ...(typeof previousUntil === 'number' ? { previousSecretUntil: instant(previousUntil) } : {}),
    ...(typeof disabled === 'string' ? { disabled: disabled as DisabledReason } : {}),
    ...(typeof failingSince === 'number' ? { failingSince: instant(failingSince) } : {}),
    version: Number(row['version']),
    createdAt: instant(Number(row['created_at'])),
    updatedAt: instant(Number(row['updated_at'])),
  }
}
