/** What a caller asks for when it creates an API key. */
import type { ApiKey } from '../../domain/access/api-key.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { isTestTenant, liveTenantOf, type Mode } from '../../domain/access/test-mode.ts'
import type { FieldProblem } from '../../domain/requests/request-fields.ts'
import { refuse } from '../../flows/errors.ts'
import { parseNetwork } from '../../lib/networks.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Instant, later, millis, parseInstant, seconds } from '../../lib/time.ts'
import { allows, missingScope } from '../http/auth.ts'
import { BAD_TIME, refuseFields } from '../http/validation.ts'
import { type ApiKeyBounds, boundedEnd, expiryProblems, networkProblem } from './api-key-bounds.ts'
import type { ApiKeyCreate } from './api-key-schemas.ts'

const DAY_SECONDS = 86_400

/** A key without what is drawn for it. */
export type ApiKeyDraft = Omit<ApiKey, 'id' | 'hash'>

/** Within the bounds of the key that makes the call, which are also the defaults. */
export function readDraft(caller: Caller, bounds: ApiKeyBounds, fields: ApiKeyCreate, now: Instant): ApiKeyDraft {
  const { name, scopes, networks, account_id: accountId = caller.accountId } = fields
  const mode = readMode(caller, fields)
  const problems = [
    ...modeProblems(fields, mode),
    ...networkProblems(bounds, networks ?? []),
    ...timeProblems(bounds, fields, now),
  ]
  if (problems.length > 0) throw refuseFields(problems)
  refuseForeignScopes(caller, scopes)
  const expiresAt = boundedEnd(bounds, toEnd(fields, now))
  return omitUndefined({
    tenantId: liveTenantOf(caller.tenantId),
    accountId,
    name,
    scopes,
    mode,
    networks: networks?.flatMap((text) => parseNetwork(text) ?? []) ?? bounds.networks,
    createdAt: now,
    lifetime: expiresAt === undefined ? undefined : millis(expiresAt - now),
    expiresAt,
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

const NO_NETWORK = 'must be an IP address or a network, such as 203.0.113.0/24'

const networkProblems = (bounds: ApiKeyBounds, networks: readonly string[]): readonly FieldProblem[] =>
  networks.flatMap((text, index) => {
    const network = parseNetwork(text)
    const message = network === undefined ? NO_NETWORK : networkProblem(bounds, network)
    return message === undefined ? [] : [{ path: `/networks/${index}`, message }]
  })

function timeProblems(bounds: ApiKeyBounds, fields: ApiKeyCreate, now: Instant): readonly FieldProblem[] {
  const { expires_at: text, expires_in_days: days } = fields
  const end = toEnd(fields, now)
  if (text === undefined) return end === undefined ? [] : expiryProblems(bounds, '/expires_in_days', end)
  if (days !== undefined) return [{ path: '/expires_in_days', message: 'must not be given together with expires_at' }]
  if (end === undefined) return [{ path: '/expires_at', message: BAD_TIME }]
  if (end <= now) return [{ path: '/expires_at', message: 'must be in the future' }]
  return expiryProblems(bounds, '/expires_at', end)
}

/** Undefined if the key is not to expire, or if the text is no time. */
function toEnd({ expires_at: text, expires_in_days: days }: ApiKeyCreate, now: Instant): Instant | undefined {
  if (text !== undefined) return parseInstant(text)
  return days === undefined ? undefined : later(now, seconds(days * DAY_SECONDS))
}
