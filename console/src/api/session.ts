/**
 * Who is signed in: a token, kept for as long as the tab is open. A link may bring one along in its fragment, which
 * never reaches a server; it is taken out of the address at once. A tab that has none asks the others (`tabs.ts`).
 */
import { makeStore, useStore } from '../store.ts'
import { openTabs, type Tabs } from './tabs.ts'

export type Session = Readonly<{
  token: string
  tenantId: string
  accountId: string
  scopes: readonly string[]
  /** In milliseconds, where the token says so. */
  expiresAt: number | undefined
}>

/** Why the gateway takes a token no more. */
type Ending = 'expired' | 'refused'

const KEY = 'pombo.token'
const current = makeStore(begin())
const ending = makeStore<Ending | undefined>(undefined)
let tabs: Tabs | undefined

function begin(): Session | undefined {
  const [, brought] = /^#token=([\w.-]+)$/.exec(location.hash) ?? []
  if (brought !== undefined) {
    history.replaceState(null, '', location.pathname + location.search)
    sessionStorage.setItem(KEY, brought)
  }
  return parseSession(brought ?? sessionStorage.getItem(KEY) ?? '')
}

/** What a token says of itself; whether it is true is for the gateway to say. It may be copied with what stands before it. */
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

/** Takes the session of another tab where there is one; returns once that is known, and soon in any case. */
export async function joinTabs(): Promise<void> {
  tabs = openTabs({
    token: () => current.get()?.token,
    onLeft: (token) => {
      if (token === current.get()?.token) leave(undefined)
    },
  })
  if (current.get() !== undefined) return
  const session = parseSession((await tabs.ask()) ?? '')
  if (session !== undefined && current.get() === undefined) signIn(session)
}

export function signIn(session: Session): void {
  sessionStorage.setItem(KEY, session.token)
  ending.set(undefined)
  current.set(session)
}

/** In every tab with the same token: whoever leaves a machine to others wants to be gone from all of them. */
export function signOut(): void {
  const { token } = current.get() ?? {}
  if (token !== undefined) tabs?.tellLeft(token)
  leave(undefined)
}

/** The gateway takes the token no more. Of several refusals at once the first says why. */
export function endSession(): void {
  const session = current.get()
  if (session !== undefined) leave(isExpired(session) ? 'expired' : 'refused')
}

export const isExpired = ({ expiresAt }: Session): boolean => expiresAt !== undefined && expiresAt <= Date.now()

function leave(why: Ending | undefined): void {
  sessionStorage.removeItem(KEY)
  ending.set(why)
  current.set(undefined)
}

export const currentSession = current.get

/** Calls whenever somebody signs in or out, until the answer is called. */
export const onSessionChange = current.watch

export const useSession = (): Session | undefined => useStore(current)

/** Why one was signed out, where that was not one's own wish. */
export const useEnding = (): Ending | undefined => useStore(ending)

/** Administrators may do everything. */
export const may = (session: Session | undefined, scope: string): boolean =>
  session?.scopes.includes(scope) === true || session?.scopes.includes('admin') === true
