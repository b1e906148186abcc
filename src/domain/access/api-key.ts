/**
 * API keys: `pk_live_<id>_<secret>`. The id finds the key, and the secret proves it; only a keyed hash of the secret is
 * stored.
 */
import type { Brand } from '../../lib/brand.ts'
import type { Instant } from '../../lib/time.ts'
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
  /** Also when a rotated or a revoked key ends. */
  expiresAt?: Instant
  revokedAt?: Instant
  /** Known to the minute. */
  lastUsedAt?: Instant
}>

/** Whether the key can be used. */
export const isUsable = ({ expiresAt, revokedAt }: ApiKey, now: Instant): boolean =>
  revokedAt === undefined && (expiresAt === undefined || now < expiresAt)

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

export const toApiKeyText = ({ mode, id, secret }: PresentedKey): string => `pk_${mode}_${id}_${secret}`
