/** Tokens that people paste, or that a link carries: signed tokens (JWT) and API keys. */

/** `claims` are those of a signed token, unverified: the gateway verifies them. */
export type Token = Readonly<{
  text: string
  claims: Readonly<{ tenantId: string; accountId: string; scopes: readonly string[] }> | undefined
  /** In milliseconds; undefined when it is not known. */
  expiresAt: number | undefined
}>

/** The end of the ids of test tenants. */
export const TEST_MODE = '~test'

const API_KEY = /^pk_(?:live|test)_\w+$/

/** Accepts a token copied with its `Bearer ` prefix. */
export function parseToken(given: string): Token | undefined {
  const text = given.trim().replace(/^Bearer\s+/i, '')
  if (API_KEY.test(text)) return { text, claims: undefined, expiresAt: undefined }
  try {
    const [, payload = ''] = text.split('.')
    const claims = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as Record<string, unknown>
    const { tenant_id: tenant, account_id: accountId = 'default', scope, exp, test } = claims
    if (typeof tenant !== 'string' || typeof accountId !== 'string') return undefined
    const tenantId = test === true ? `${tenant}${TEST_MODE}` : tenant
    const expiresAt = typeof exp === 'number' ? exp * 1_000 : undefined
    return { text, claims: { tenantId, accountId, scopes: String(scope ?? '').split(' ') }, expiresAt }
  } catch {
    return undefined
  }
}

export const isExpired = ({ expiresAt }: Token): boolean => expiresAt !== undefined && expiresAt <= Date.now()

const LINK = /^#token=([\w.-]+)$/
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/**
 * The token of the link that opened the page, removed from the address. Elsewhere than on this machine links could be
 * somebody else's, who wants to read what is entered under their token.
 */
export function takeLinkToken(): Readonly<{ token: Token | undefined; isForeign: boolean }> {
  const [, text] = LINK.exec(location.hash) ?? []
  if (text === undefined) return { token: undefined, isForeign: false }
  history.replaceState(null, '', location.pathname + location.search)
  return LOOPBACK.test(location.hostname)
    ? { token: parseToken(text), isForeign: false }
    : { token: undefined, isForeign: true }
}
