/** What a caller asks for when it creates an API key. */
import type { ApiKey } from '../../domain/access/api-key.ts'
import { isTestTenant, liveTenantOf, type Mode } from '../../domain/access/test-mode.ts'
import type { FieldProblem } from '../../domain/requests/request-fields.ts'
import { refuse } from '../../flows/errors.ts'
import { parseNetwork } from '../../lib/networks.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Instant, later, type Millis, millis, parseInstant, seconds } from '../../lib/time.ts'
import { allows, missingScope } from '../http/auth.ts'
import type { Caller } from '../http/context.ts'
import { BAD_TIME, refuseFields } from '../http/validation.ts'
import type { ApiKeyCreate } from './api-key-schemas.ts'

/** A key without what is drawn for it. */
export type ApiKeyDraft = Omit<ApiKey, 'id' | 'hash'>

export function readDraft(caller: Caller, fields: ApiKeyCreate, now: Instant): ApiKeyDraft {
  const { name, scopes, networks, account_id: accountId = caller.accountId } = fields
  const mode = readMode(caller, fields)
  const problems = [...modeProblems(fields, mode), ...networkProblems(networks ?? []), ...expiryProblems(fields, now)]
  if (problems.length > 0) throw refuseFields(problems)
  refuseForeignScopes(caller, scopes)
  const lifetime = toLifetime(fields, now)
  return omitUndefined({
    tenantId: liveTenantOf(caller.tenantId),
    accountId,
    name,
    scopes,
    mode,
    networks: networks?.flatMap((text) => parseNetwork(text) ?? []),
    createdAt: now,
    lifetime,
    expiresAt: lifetime && later(now, lifetime),
  })
}

/** Nobody may issue a key that permits more than they may do themselves. */
export function refuseForeignScopes(caller: Caller, scopes: ApiKey['scopes']): void {
  const missing = scopes.filter((scope) => !allows(caller, scope))
  if (missing.length > 0) throw missingScope(missing)
}

function readMode({ tenantId }: Caller, { mode }: ApiKeyCreate): Mode {
  if (!isTestTenant(tenantId)) return mode ?? 'live'
  if (mode === 'live') throw refuse('FORBIDDEN', 'A call in test mode can only create test keys')
  return 'test'
}

/** What operators do concerns everybody, and nothing of it is apart in test mode. */
const modeProblems = ({ scopes }: ApiKeyCreate, mode: Mode): readonly FieldProblem[] =>
  mode === 'test' && scopes.includes('operator')
    ? [{ path: '/scopes', message: 'must not contain operator in a test key' }]
    : []

const networkProblems = (networks: readonly string[]): readonly FieldProblem[] =>
  networks.flatMap((text, index) =>
    parseNetwork(text) === undefined
      ? [{ path: `/networks/${index}`, message: 'must be an IP address or a network, such as 203.0.113.0/24' }]
      : [],
  )

function expiryProblems({ expires_at: text, expires_in_days: days }: ApiKeyCreate, now: Instant): FieldProblem[] {
  if (text === undefined) return []
  const at = parseInstant(text)
  if (at === undefined) return [{ path: '/expires_at', message: BAD_TIME }]
  if (days !== undefined) return [{ path: '/expires_in_days', message: 'must not be given together with expires_at' }]
  return at > now ? [] : [{ path: '/expires_at', message: 'must be in the future' }]
}

/** Undefined if the key is not to expire. The fields are valid. */
function toLifetime({ expires_at: text, expires_in_days: days }: ApiKeyCreate, now: Instant): Millis | undefined {
  if (days !== undefined) return seconds(days * 24 * 60 * 60)
  const at = text === undefined ? undefined : parseInstant(text)
  return at === undefined ? undefined : millis(at - now)
}
