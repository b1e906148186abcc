/**
 * Who is signed in: a token, kept for as long as the tab is open. A link may bring one along in its fragment, which
 * never reaches a server; it is taken out of the address at once.
 */
import { makeStore, useStore } from '../store.ts'

export type Session = Readonly<{ token: string; tenantId: string; accountId: string; scopes: readonly string[] }>

const KEY = 'pombo.token'
const current = makeStore(begin())

function begin(): Session | undefined {
  const [, brought] = /^#token=([\w.-]+)$/.exec(location.hash) ?? []
  if (brought !== undefined) {
    history.replaceState(null, '', location.pathname + location.search)
    sessionStorage.setItem(KEY, brought)
  }
  return parseSession(brought ?? sessionStorage.getItem(KEY) ?? '')
}

/** What a token says of itself; whether it is true is for the gateway to say. */
export function parseSession(token: string): Session | undefined {
  try {
    const [, payload = ''] = token.trim().split('.')
    const claims = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as Record<string, unknown>
    const { tenant_id: tenantId, account_id: accountId, scope } = claims
    if (typeof tenantId !== 'string' || typeof accountId !== 'string') return undefined
    return { token: token.trim(), tenantId, accountId, scopes: String(scope ?? '').split(' ') }
  } catch {
    return undefined
  }
}

export function signIn(session: Session): void {
  sessionStorage.setItem(KEY, session.token)
  current.set(session)
}

export function signOut(): void {
  sessionStorage.removeItem(KEY)
  current.set(undefined)
}

export const currentSession = current.get

/** Calls whenever somebody signs in or out, until the answer is called. */
export const onSessionChange = current.watch

export const useSession = (): Session | undefined => useStore(current)

/** Administrators may do everything. */
export const may = (session: Session | undefined, scope: string): boolean =>
  session?.scopes.includes(scope) === true || session?.scopes.includes('admin') === true
