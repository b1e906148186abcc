/**
 * Who is signed in: a person with a cookie, which scripts cannot read, or this tab with a token, which sessionStorage
 * keeps until the tab closes. On the machine of the gateway a link can carry a token in its fragment, which browsers
 * never send to servers; it is removed from the address at once, and does not replace a session without being asked,
 * nor one that may be there while the gateway does not answer.
 */
import { makeStore, useStore } from '../store.ts'
import type { components } from './schema.gen.d.ts'
import { openTabs, type Tabs } from './tabs.ts'
import { isExpired, parseToken, TEST_MODE, type Token, takeLinkToken } from './token.ts'

type SessionAnswer = components['schemas']['Session']
export type SessionUser = NonNullable<SessionAnswer['user']>
export type Ways = SessionAnswer['ways']

/** Cookies travel by themselves; calls that change something carry the CSRF token too. */
type Credentials = Readonly<{ kind: 'token'; token: Token } | { kind: 'cookie'; csrfToken: string }>

export type Session = Readonly<{
  credentials: Credentials
  tenantId: string
  accountId: string
  scopes: readonly string[]
  /** Undefined for a token. */
  user: SessionUser | undefined
}>

/** Why somebody has to sign in again, or why a link did not. */
export type EndReason = 'expired' | 'refused' | 'ended' | 'foreignLink'

const KEY = 'pombo.token'
const current = makeStore<Session | undefined>(undefined)
const endReason = makeStore<EndReason | undefined>(undefined)
const ways = makeStore<Ways | undefined>(undefined)
/** The token of a link, while somebody else is signed in, or may be. */
const offered = makeStore<Session | undefined>(undefined)
let tabs: Tabs | undefined

/** Finds out who is signed in, and opens the link that this page was opened with. */
export async function startSession(): Promise<void> {
  tabs = openTabs({
    token: () => tokenOf(current.get())?.text,
    onSignOut: (text) => {
      if (text === tokenOf(current.get())?.text) clear(undefined)
    },
    onCookieChange: () => {
      if (tokenOf(current.get()) === undefined) void refreshSession()
    },
  })
  const { token: link, isForeign } = takeLinkToken()
  if (isForeign) endReason.set('foreignLink')
  const present = await presentSession()
  const session = typeof present === 'string' ? undefined : present
  if (link === undefined) current.set(session ?? (await sessionOfOtherTabs(tabs)))
  else if (present === 'nobody' || tokenOf(session)?.text === link.text) await adoptToken(link)
  else {
    current.set(session)
    offered.set(await toSession(link))
  }
}

/** `unknown`: the gateway has not said whether somebody is signed in. */
type Present = Session | 'nobody' | 'unknown'

async function presentSession(): Promise<Present> {
  const stored = await storedSession()
  return stored === 'nobody' ? await cookieSession() : stored
}

const tokenOf = (session: Session | undefined): Token | undefined =>
  session?.credentials.kind === 'token' ? session.credentials.token : undefined

async function storedSession(): Promise<Present> {
  const token = parseToken(sessionStorage.getItem(KEY) ?? '')
  if (token === undefined) return 'nobody'
  const found = await resolveToken(token)
  if (found === 'unreachable') return 'unknown'
  return found === 'refused' ? 'nobody' : found
}

/** A refusal may be that of somebody who is signed in, and whose tenant is suspended. */
async function cookieSession(): Promise<Present> {
  const asked = await ask()
  return asked.kind === 'answer' ? (toCookieSession(asked.answer) ?? 'nobody') : 'unknown'
}

async function sessionOfOtherTabs(openedTabs: Tabs): Promise<Session | undefined> {
  const token = parseToken((await openedTabs.requestToken()) ?? '')
  if (token === undefined) return undefined
  sessionStorage.setItem(KEY, token.text)
  return await toSession(token)
}

async function toSession(token: Token): Promise<Session | undefined> {
  const found = await resolveToken(token)
  return typeof found === 'string' ? undefined : found
}

/** A signed token says itself whom it is for; the gateway verifies it with the first call. An API key says nothing. */
async function resolveToken(token: Token): Promise<Session | 'refused' | 'unreachable'> {
  const credentials = { kind: 'token' as const, token }
  if (token.claims !== undefined) return { credentials, user: undefined, ...token.claims }
  const asked = await ask(token)
  return asked.kind === 'answer' ? (toSessionWith(credentials, asked.answer) ?? 'refused') : asked.kind
}

type Asked = Readonly<{ kind: 'answer'; answer: SessionAnswer } | { kind: 'refused' | 'unreachable' }>

/** Asks the gateway who this is: whoever has the token, or the cookie. */
async function ask(token?: Token): Promise<Asked> {
  try {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token.text}` }
    const response = await fetch('/v1/session', { headers })
    if (response.status >= 500) return { kind: 'unreachable' }
    if (!response.ok) return { kind: 'refused' }
    const answer = (await response.json()) as SessionAnswer
    ways.set(answer.ways)
    return { kind: 'answer', answer }
  } catch {
    return { kind: 'unreachable' }
  }
}

const toCookieSession = (answer: SessionAnswer): Session | undefined =>
  answer.csrf_token === null ? undefined : toSessionWith({ kind: 'cookie', csrfToken: answer.csrf_token }, answer)

function toSessionWith(credentials: Credentials, answer: SessionAnswer): Session | undefined {
  const { tenant_id: tenantId, account_id: accountId, scopes, user } = answer
  if (tenantId === null || accountId === null) return undefined
  return { credentials, tenantId, accountId, scopes, user: user ?? undefined }
}

/** Signs this tab in with a token; answers why not. */
export async function signInWithToken(
  text: string,
): Promise<'unknown' | 'expired' | 'refused' | 'unreachable' | undefined> {
  const token = parseToken(text)
  if (token === undefined) return 'unknown'
  const asked = await ask(token)
  if (asked.kind === 'unreachable') return 'unreachable'
  if (asked.kind === 'refused') return isExpired(token) ? 'expired' : 'refused'
  await adoptToken(token)
  return undefined
}

async function adoptToken(token: Token): Promise<void> {
  sessionStorage.setItem(KEY, token.text)
  endReason.set(undefined)
  current.set(await toSession(token))
}

/** The gateway has set a cookie, and answered this. */
export function enter(answer: SessionAnswer): void {
  sessionStorage.removeItem(KEY)
  endReason.set(undefined)
  current.set(toCookieSession(answer))
  tabs?.announceCookieChange()
}

/** Asks again who is signed in by the cookie: another tab has signed in or out. */
export async function refreshSession(): Promise<void> {
  const asked = await ask()
  if (asked.kind === 'answer') current.set(toCookieSession(asked.answer))
}

/** Signs out every tab that has this token or this cookie. Rejects if the gateway cannot be reached. */
export async function signOut(): Promise<void> {
  const session = current.get()
  if (session?.credentials.kind === 'token') tabs?.announceSignOut(session.credentials.token.text)
  else if (session !== undefined) {
    const headers = { 'x-csrf-token': session.credentials.csrfToken }
    const { ok, status } = await fetch('/v1/session', { method: 'DELETE', headers })
    if (!ok) throw new Error(String(status))
    tabs?.announceCookieChange()
  }
  clear(undefined)
}

/** Called when the gateway rejects the credentials. Only the first of several rejections has an effect. */
export function endSession(): void {
  const session = current.get()
  if (session === undefined) return
  const token = tokenOf(session)
  if (token === undefined) clear('ended')
  else clear(isExpired(token) ? 'expired' : 'refused')
}

function clear(reason: EndReason | undefined): void {
  sessionStorage.removeItem(KEY)
  endReason.set(reason)
  current.set(undefined)
}

/** Uses the token of the link after all, in this tab only. */
export async function acceptOffered(): Promise<void> {
  const token = tokenOf(offered.get())
  offered.set(undefined)
  if (token !== undefined) await adoptToken(token)
}

export const dismissOffered = (): void => offered.set(undefined)
export const useOffered = (): Session | undefined => useStore(offered)

export const currentSession = current.get

/** Calls the watcher on every sign-in and sign-out, until the returned function is called. */
export const onSessionChange = current.watch

export const useSession = (): Session | undefined => useStore(current)

/** Why the session ended; undefined after signing out. */
export const useEndReason = (): EndReason | undefined => useStore(endReason)

/** How people can sign in; undefined while the gateway cannot be reached. */
export const useWays = (): Ways | undefined => useStore(ways)

/** `operator` includes all scopes, and `admin` all within the tenant. */
export const hasScope = (session: Session | undefined, scope: string): boolean =>
  session !== undefined &&
  (session.scopes.includes(scope) ||
    session.scopes.includes('operator') ||
    (session.scopes.includes('admin') && scope !== 'operator'))

/** Test mode is a tenant of its own. */
export const isInTestMode = ({ tenantId }: Session): boolean => tenantId.endsWith(TEST_MODE)
