/**
 * The signed-in session: a token in sessionStorage, kept until the tab closes. A link can carry the token in its
 * fragment, which browsers never send to servers; it is removed from the address at once. A tab without a token asks
 * other open tabs (`tabs.ts`).
 */
import { makeStore, useStore } from '../store.ts'
import { openTabs, type Tabs } from './tabs.ts'

export type Session = Readonly<{
  token: string
  tenantId: string
  accountId: string
  scopes: readonly string[]
  /** In milliseconds; undefined when the token has no `exp` claim. */
  expiresAt: number | undefined
}>

/** Why the gateway rejects the token. */
type EndReason = 'expired' | 'refused'

const KEY = 'pombo.token'
const current = makeStore(restoreSession())
const endReason = makeStore<EndReason | undefined>(undefined)
let tabs: Tabs | undefined

function restoreSession(): Session | undefined {
  const [, linkToken] = /^#token=([\w.-]+)$/.exec(location.hash) ?? []
  if (linkToken !== undefined) {
    history.replaceState(null, '', location.pathname + location.search)
    sessionStorage.setItem(KEY, linkToken)
  }
  return parseSession(linkToken ?? sessionStorage.getItem(KEY) ?? '')
}

/** Reads the claims without verifying them: the gateway does that. Accepts a token copied with its `Bearer ` prefix. */
export function parseSession(text: string): Session | undefined {
  try {
    const token = text.trim().replace(/^Bearer\s+/i, '')
    const [, payload = ''] = token.split('.')
    const claims = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as Record<string, unknown>
    const { tenant_id: tenantId, account_id: accountId, scope, exp } = claims
    if (typeof tenantId !== 'string' || typeof accountId !== 'string') return undefined
    const expiresAt = typeof exp === 'number' ? exp * 1_000 : undefined
    return { token, tenantId, accountId, scopes: String(scope ?? '').split(' '), expiresAt }
  } catch {
    return undefined
  }
}

/** Takes over the session of another open tab, if one answers in time. */
export async function joinTabs(): Promise<void> {
  tabs = openTabs({
    token: () => current.get()?.token,
    onSignOut: (token) => {
      if (token === current.get()?.token) clearSession(undefined)
    },
  })
  if (current.get() !== undefined) return
  const session = parseSession((await tabs.requestToken()) ?? '')
  if (session !== undefined && current.get() === undefined) signIn(session)
}

export function signIn(session: Session): void {
  sessionStorage.setItem(KEY, session.token)
  endReason.set(undefined)
  current.set(session)
}

/** Signs out every tab that has this token. */
export function signOut(): void {
  const { token } = current.get() ?? {}
  if (token !== undefined) tabs?.announceSignOut(token)
  clearSession(undefined)
}

/** Called when the gateway rejects the token. Only the first of several rejections has an effect. */
export function endSession(): void {
  const session = current.get()
  if (session !== undefined) clearSession(isExpired(session) ? 'expired' : 'refused')
}

export const isExpired = ({ expiresAt }: Session): boolean => expiresAt !== undefined && expiresAt <= Date.now()

function clearSession(reason: EndReason | undefined): void {
  sessionStorage.removeItem(KEY)
  endReason.set(reason)
  current.set(undefined)
}

export const currentSession = current.get

/** Calls the watcher on every sign-in and sign-out, until the returned function is called. */
export const onSessionChange = current.watch

export const useSession = (): Session | undefined => useStore(current)

/** Why the session ended; undefined after signing out. */
export const useEndReason = (): EndReason | undefined => useStore(endReason)

/** The `admin` scope includes all others. */
export const hasScope = (session: Session | undefined, scope: string): boolean =>
  session?.scopes.includes(scope) === true || session?.scopes.includes('admin') === true
