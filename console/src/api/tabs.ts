/**
 * Other tabs of the console in the same browser: a new one, such as a message opened beside the list, asks them for
 * their token. It goes from tab to tab and is stored nowhere on the way.
 */
type Said =
  | Readonly<{ kind: 'wanted'; by: string }>
  | Readonly<{ kind: 'token'; for: string; token: string }>
  | Readonly<{ kind: 'left'; token: string }>

type Asked = Readonly<{
  /** What this tab has to give. */
  token: () => string | undefined
  /** Another tab has signed out. */
  onLeft: (token: string) => void
}>

export type Tabs = Readonly<{
  /** The token of another tab; undefined where none answers. */
  ask: () => Promise<string | undefined>
  tellLeft: (token: string) => void
}>

const NAME = 'pombo.session'
const ANSWER_WITHIN_MS = 300
/** The tab one comes from is the one that is seen: it answers first, should there be tabs of several tenants. */
const HIDDEN_WAIT_MS = 50

export function openTabs({ token, onLeft }: Asked): Tabs {
  const channel = new BroadcastChannel(NAME)
  const say = (said: Said): void => channel.postMessage(said)
  const me = crypto.getRandomValues(new Uint32Array(4)).join('-')
  const { promise: answer, resolve } = Promise.withResolvers<string | undefined>()

  const give = (to: string): void => {
    const given = token()
    if (given !== undefined) say({ kind: 'token', for: to, token: given })
  }
  channel.onmessage = ({ data: said }: MessageEvent<Said>) => {
    if (said.kind === 'wanted') setTimeout(() => give(said.by), document.hidden ? HIDDEN_WAIT_MS : 0)
    else if (said.kind === 'left') onLeft(said.token)
    else if (said.for === me) resolve(said.token)
  }
  return {
    ask() {
      say({ kind: 'wanted', by: me })
      setTimeout(() => resolve(undefined), ANSWER_WITHIN_MS)
      return answer
    },
    tellLeft: (left) => say({ kind: 'left', token: left }),
  }
}
