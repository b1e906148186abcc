/**
 * API keys: `pk_live_<id>_<secret>`. The id finds the key, and the secret proves it; only a keyed hash of the secret is
 * stored.
 */
import type { Brand } from '../../lib/brand.ts'
import { type Instant, instant, later, type Millis, seconds } from '../../lib/time.ts'
import type { AccountId, TenantId } from '../ids.ts'
import type { Scope } from './scope.ts'
import { MODES, type Mode } from './test-mode.ts'

export type ApiKeyId = Brand<string, 'ApiKeyId'>

export type ApiKey = Readonly<{
  id: ApiKeyId
  /** The live tenant, also of a test key. */
  tenantId: TenantId
  accountId: AccountId
  name: string
  scopes: readonly Scope[]
  mode: Mode
  /** Only from these networks, in CIDR notation; from anywhere when missing. */
  networks?: readonly string[]
  /** HMAC-SHA-256 of the secret, in hexadecimal. */
  hash: string
  createdAt: Instant
  /** How long it was to live; missing when it was not to expire. A rotation ends it earlier, and its successor lives as long. */
  lifetime?: Millis
  expiresAt?: Instant
  revokedAt?: Instant
  /** Known to the minute. */
  lastUsedAt?: Instant
}>

/** Keys that have ended are listed for this long. */
const KEPT_FOR = seconds(30 * 24 * 60 * 60)

/** Whether the key can be used. */
export const isUsable = ({ expiresAt, revokedAt }: ApiKey, now: Instant): boolean =>
  revokedAt === undefined && (expiresAt === undefined || now < expiresAt)

/** When a key was revoked or expires, whichever is first. */
export const endOf = ({ expiresAt, revokedAt }: ApiKey): Instant | undefined =>
  expiresAt === undefined || revokedAt === undefined
    ? (expiresAt ?? revokedAt)
    : instant(Math.min(expiresAt, revokedAt))

/** Keys that ended at or before this are forgotten. */
export const forgottenBy = (now: Instant): Instant => later(now, -KEPT_FOR as Millis)

export function isForgotten(key: ApiKey, now: Instant): boolean {
  const end = endOf(key)
  return end !== undefined && end <= forgottenBy(now)
}

const ID = /^[0-9a-z]{12}$/
const KEY = /^pk_(live|test)_([0-9a-z]{12})_([0-9A-Za-z]{40})$/

export const parseApiKeyId = (text: string): ApiKeyId | undefined => (ID.test(text) ? (text as ApiKeyId) : undefined)

/** What every API key starts with. */
export const API_KEY_PREFIX = 'pk_'

export type PresentedKey = Readonly<{ mode: Mode; id: ApiKeyId; secret: string }>

export function parseApiKey(text: string): PresentedKey | undefined {
  const [, kind, id, secret] = KEY.exec(text) ?? []
  const mode = MODES.find((one) => one === kind)
  return mode === undefined || id === undefined || secret === undefined
    ? undefined
    : { mode, id: id as ApiKeyId, secret }
}

/** What a key begins with: enough to recognise it, and nothing of its secret. */
export const toApiKeyHint = ({ mode, id }: Pick<ApiKey, 'mode' | 'id'>): string => `pk_${mode}_${id}_…`

export const toApiKeyText = ({ mode, id, secret }: PresentedKey): string => `pk_${mode}_${id}_${secret}`
