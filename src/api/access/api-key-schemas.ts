/** The schemas of API keys. */
import { type Static, Type } from 'typebox'
import { type ApiKey, isUsable, toApiKeyHint } from '../../domain/access/api-key.ts'
import { SCOPES } from '../../domain/access/scope.ts'
import { tenantIn } from '../../domain/access/test-mode.ts'
import type { AccountId } from '../../domain/ids.ts'
import { type Instant, toIso } from '../../lib/time.ts'
import { Enums } from '../http/enums.ts'
import { isoOrNull, namedObject, nullable, Time } from '../http/schemas.ts'
import { toAccountSid } from '../twilio/account-sid.ts'

const CLOSED = { additionalProperties: false }
const DAY_SECONDS = 86_400
const MAX_OVERLAP_SECONDS = 30 * DAY_SECONDS
const MAX_DAYS = 3_650
const MAX_NETWORKS = 20

const accountId = (description: string) =>
  Type.Unsafe<AccountId>(Type.String({ description, pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$', examples: ['shop'] }))

const Id = Type.String({ description: 'The part of the key after the mode.', examples: ['8f3k1x0q7zab'] })

const Fields = {
  name: Type.String({
    description: 'What the key is for: 1 to 100 characters.',
    minLength: 1,
    maxLength: 100,
    pattern: '^[^\\u0000-\\u001f\\u007f]*$',
    examples: ['Order service'],
  }),
  scopes: Type.Array(Enums.Scope(), {
    description: 'What the key permits. Only scopes that you have.',
    minItems: 1,
    maxItems: SCOPES.length,
    uniqueItems: true,
    examples: [['sms:send', 'messages:read']],
  }),
  mode: Enums.Mode({
    description:
      'What a `test` key does stays in test mode: its messages go to the simulator, and its data is apart. Defaults to the mode of the call.',
    examples: ['live'],
  }),
  account_id: accountId('The account of the tenant that the key acts for.'),
  networks: Type.Array(Type.String({ maxLength: 43 }), {
    description: 'The key is valid only for calls from these IP addresses and networks, in CIDR notation.',
    minItems: 1,
    maxItems: MAX_NETWORKS,
    examples: [['203.0.113.0/24', '2001:db8::/32']],
  }),
  expires_at: Type.Unsafe<string>({ ...Time, description: 'When the key expires (RFC 3339).' }),
}

export const ApiKeyCreate = namedObject(
  'CreateApiKeyRequest',
  {
    name: Fields.name,
    scopes: Fields.scopes,
    mode: Type.Optional(Fields.mode),
    account_id: Type.Optional(accountId('The account of the tenant that the key acts for. Defaults to yours.')),
    networks: Type.Optional(Fields.networks),
    expires_at: Type.Optional(Fields.expires_at),
    expires_in_days: Type.Optional(
      Type.Integer({
        description: 'Instead of `expires_at`. Without either, the key does not expire.',
        minimum: 1,
        maximum: MAX_DAYS,
        examples: [90],
      }),
    ),
  },
  { ...CLOSED, examples: [{ name: 'Order service', scopes: ['sms:send'], expires_in_days: 90 }] },
)
export type ApiKeyCreate = Static<typeof ApiKeyCreate>

export const ApiKeyRotation = namedObject(
  'RotateApiKeyRequest',
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_OVERLAP_SECONDS,
        default: DAY_SECONDS,
        description: 'How long the current key stays valid. Defaults to one day.',
      }),
    ),
  },
  { ...CLOSED, examples: [{ overlap_seconds: DAY_SECONDS }] },
)

export const DEFAULT_OVERLAP_SECONDS = DAY_SECONDS

export const ApiKeyView = namedObject('ApiKey', {
  id: Id,
  prefix: Type.String({
    description: 'What the key begins with. Its secret is not stored.',
    examples: ['pk_live_8f3k1x0q7zab_…'],
  }),
  name: Fields.name,
  scopes: Fields.scopes,
  mode: Fields.mode,
  account_id: Fields.account_id,
  twilio_account_sid: Type.String({
    description: "The account SID for programs that use Twilio's API; the key is their auth token.",
    examples: ['AC3f1c9f0e5f0a8c6e9d570b6f0a3c2e11'],
  }),
  networks: nullable(Fields.networks),
  status: Type.Enum(['active', 'expired', 'revoked'], { title: 'ApiKeyStatus' }),
  created_at: Time,
  expires_at: nullable(Fields.expires_at),
  revoked_at: nullable(Time),
  last_used_at: nullable(
    Type.Unsafe<string>({ ...Time, description: 'Known to the minute. Null if the key was never used.' }),
  ),
})

const Issued = {
  key: Type.String({
    description: 'The key itself. Only this response contains it.',
    examples: ['pk_live_8f3k1x0q7zab_…'],
  }),
  smpp_password: Type.Optional(
    Type.String({
      description:
        'The password for SMPP clients that have room for eight characters only; their system_id is the `id` of the key. Missing unless the operator allows short passwords.',
      examples: ['7hQ2mZ0x'],
    }),
  ),
}

export const IssuedApiKey = namedObject('CreatedApiKey', { ...ApiKeyView.properties, ...Issued })

export const RotatedApiKey = namedObject('RotatedApiKey', {
  ...ApiKeyView.properties,
  ...Issued,
  previous: ApiKeyView,
})

export const toApiKeyView = (key: ApiKey, now: Instant): Static<typeof ApiKeyView> => ({
  id: key.id,
  prefix: toApiKeyHint(key),
  name: key.name,
  scopes: [...key.scopes],
  mode: key.mode,
  account_id: key.accountId,
  twilio_account_sid: toAccountSid({ ...key, tenantId: tenantIn(key.mode, key.tenantId) }),
  networks: key.networks === undefined ? null : [...key.networks],
  status: toStatus(key, now),
  created_at: toIso(key.createdAt),
  expires_at: isoOrNull(key.expiresAt),
  revoked_at: isoOrNull(key.revokedAt),
  last_used_at: isoOrNull(key.lastUsedAt),
})

function toStatus(key: ApiKey, now: Instant): Static<typeof ApiKeyView>['status'] {
  if (isUsable(key, now)) return 'active'
  return key.revokedAt === undefined ? 'expired' : 'revoked'
}
