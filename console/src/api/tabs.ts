/**
 * Tells the other tabs of the same browser what happens to the session. A new tab asks the others for their token, which
 * travels over a BroadcastChannel and is not stored. The cookie is shared by the browser itself.
 */
type TabMessage =
  | Readonly<{ kind: 'token-request'; by: string }>
  | Readonly<{ kind: 'token'; for: string; token: string }>
  | Readonly<{ kind: 'sign-out'; token: string }>
  | Readonly<{ kind: 'cookie-change' }>

type TabOptions = Readonly<{
  /** The token of this tab. */
  token: () => string | undefined
  /** Called when another tab signs out. */
  onSignOut: (token: string) => void
  /** Called when another tab signs in or out by the cookie. */
  onCookieChange: () => void
}>

export type Tabs = Readonly<{
  /** The token of another tab; undefined when none answers. */
  requestToken: () => Promise<string | undefined>
  announceSignOut: (token: string) => void
  announceCookieChange: () => void
}>

const NAME = 'pombo.session'
const ANSWER_WITHIN_MS = 300
/** Tabs may belong to different tenants. The visible tab is the one the user came from, so hidden tabs answer later. */
const HIDDEN_WAIT_MS = 50

export function openTabs({ token, onSignOut, onCookieChange }: TabOptions): Tabs {
  const channel = new BroadcastChannel(NAME)
  const post = (message: TabMessage): void => channel.postMessage(message)
  const me = crypto.getRandomValues(new Uint32Array(4)).join('-')
  const { promise: answer, resolve } = Promise.withResolvers<string | undefined>()

  const answerRequest = (to: string): void => {
    const given = token()
    if (given !== undefined) post({ kind: 'token', for: to, token: given })
  }
  channel.onmessage = ({ data: said }: MessageEvent<TabMessage>) => {
    if (said.kind === 'token-request') setTimeout(() => answerRequest(said.by), document.hidden ? HIDDEN_WAIT_MS : 0)
    else if (said.kind === 'sign-out') onSignOut(said.token)
    else if (said.kind === 'cookie-change') onCookieChange()
    else if (said.for === me) resolve(said.token)
  }
  return {
    requestToken() {
      post({ kind: 'token-request', by: me })
      setTimeout(() => resolve(undefined), ANSWER_WITHIN_MS)
      return answer
    },
    announceSignOut: (signedOut) => post({ kind: 'sign-out', token: signedOut }),
    announceCookieChange: () => post({ kind: 'cookie-change' }),
  }
}
