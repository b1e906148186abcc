/** The shell around every page: who is signed in, where one is, whether what is shown is live. */
import { lazy, type RefObject, Suspense, useLayoutEffect, useRef, useState } from 'react'
import { Link, Route, Switch, useLocation } from 'wouter'
import { useLive, useLiveState } from './api/live.ts'
import { signOut, useSession } from './api/session.ts'
import icon from './icon.svg'
import { SignIn } from './pages/sign-in.tsx'
import { TEXTS } from './texts.ts'
import { Dialog } from './ui/dialog.tsx'
import { useKeys } from './ui/keys.ts'
import { Button, Loading, PageHead } from './ui/parts.tsx'
import { THEMES, type Theme, useTheme } from './ui/theme.ts'
import { Toasts } from './ui/toast.tsx'

const T = TEXTS.app

/** Pages are fetched when they are first opened. */
const PAGES = [
  ['/', TEXTS.pages.overview, lazy(async () => ({ default: (await import('./pages/overview.tsx')).Overview }))],
  ['/messages', TEXTS.pages.messages, lazy(async () => ({ default: (await import('./pages/messages.tsx')).Messages }))],
  [
    '/dead-letters',
    TEXTS.pages.deadLetters,
    lazy(async () => ({ default: (await import('./pages/dead-letters.tsx')).DeadLetters })),
  ],
  [
    '/providers',
    TEXTS.pages.providers,
    lazy(async () => ({ default: (await import('./pages/providers.tsx')).Providers })),
  ],
  ['/routes', TEXTS.pages.routes, lazy(async () => ({ default: (await import('./pages/routes.tsx')).Routes }))],
  ['/limits', TEXTS.pages.limits, lazy(async () => ({ default: (await import('./pages/limits.tsx')).Limits }))],
  [
    '/templates',
    TEXTS.pages.templates,
    lazy(async () => ({ default: (await import('./pages/templates.tsx')).Templates })),
  ],
  [
    '/recipients',
    TEXTS.pages.recipients,
    lazy(async () => ({ default: (await import('./pages/recipients.tsx')).Recipients })),
  ],
  [
    '/suppressions',
    TEXTS.pages.suppressions,
    lazy(async () => ({ default: (await import('./pages/suppressions.tsx')).Suppressions })),
  ],
  ['/webhooks', TEXTS.pages.webhooks, lazy(async () => ({ default: (await import('./pages/webhooks.tsx')).Webhooks }))],
  [
    '/simulator',
    TEXTS.pages.simulator,
    lazy(async () => ({ default: (await import('./pages/simulator.tsx')).Simulator })),
  ],
] as const

const Message = lazy(async () => ({ default: (await import('./pages/message.tsx')).Message }))

export function App() {
  const session = useSession()
  return (
    <>
      {session === undefined ? <SignIn /> : <Shell />}
      <Toasts />
    </>
  )
}

function Shell() {
  const [help, setHelp] = useState(false)
  const [, go] = useLocation()
  useKeys({ '?': () => setHelp(true), g: () => go('/messages') })
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {T.skip}
      </a>
      <Nav />
      <main className="main" id="content" tabIndex={-1}>
        <Suspense fallback={<Loading />}>
          <Switch>
            {PAGES.map(([path, , Page]) => (
              <Route key={path} path={path} component={Page} />
            ))}
            <Route path="/messages/:id">{({ id }) => <Message key={id} id={id} />}</Route>
            <Route>
              <PageHead title={T.notFound} />
            </Route>
          </Switch>
        </Suspense>
      </main>
      {help && <KeysHelp onClose={() => setHelp(false)} />}
    </div>
  )
}

function Nav() {
  const [here] = useLocation()
  const isHere = (path: string): boolean => (path === '/' ? here === '/' : here.startsWith(path))
  const nav = useRef<HTMLElement>(null)
  useInView(nav, here)
  return (
    <nav ref={nav} className="nav" aria-label={T.nav}>
      <Link href="/" className="nav-brand">
        <img src={icon} alt="" />
        {T.name}
      </Link>
      {PAGES.map(([path, name]) => (
        <Link key={path} href={path} className="nav-item" aria-current={isHere(path) ? 'page' : undefined}>
          {name}
        </Link>
      ))}
      <NavFoot />
    </nav>
  )
}

/** On a phone the pages stand side by side, and the one that is shown may be far to the right. */
function useInView(nav: RefObject<HTMLElement | null>, here: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever one is elsewhere
  useLayoutEffect(() => {
    const item = nav.current?.querySelector<HTMLElement>('[aria-current]')
    if (item && nav.current) nav.current.scrollLeft = item.offsetLeft - (nav.current.clientWidth - item.offsetWidth) / 2
  }, [nav, here])
}

function NavFoot() {
  const session = useSession()
  const [theme, setTheme] = useTheme()
  return (
    <div className="nav-foot">
      <Live />
      <label>
        <span className="visually-hidden">{T.theme}</span>
        <select className="input" value={theme} onChange={(event) => setTheme(event.target.value as Theme)}>
          {THEMES.map((one) => (
            <option key={one} value={one}>
              {T.themes[one]}
            </option>
          ))}
        </select>
      </label>
      <span className="soft nav-who">
        {session?.tenantId} · {session?.accountId}
      </span>
      <Button onClick={signOut}>{T.signOut}</Button>
    </div>
  )
}

/** Listens itself, so that every page knows whether the gateway is there. */
function Live() {
  useLive(() => undefined)
  const state = useLiveState()
  const words = { live: T.live, connecting: T.connecting, lost: T.lost }[state]
  return <span className={`live ${state === 'live' ? 'on' : state}`}>{words}</span>
}

const KeysHelp = ({ onClose }: Readonly<{ onClose: () => void }>) => (
  <Dialog title={T.keysTitle} onClose={onClose}>
    <dl className="facts">
      {T.keys.map(([key, about]) => (
        <div key={key} className="row">
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{about}</dd>
        </div>
      ))}
    </dl>
    <div className="dialog-foot">
      <Button onClick={onClose}>{TEXTS.common.close}</Button>
    </div>
  </Dialog>
)
