/** The shell around every page: who is signed in, where one is, whether what is shown is live. */
import { type ComponentType, lazy, Suspense, useState } from 'react'
import { Link, Route, Switch, useLocation } from 'wouter'
import { useLive, useLiveState } from './api/live.ts'
import { signOut, useSession } from './api/session.ts'
import icon from './icon.svg'
import { SignIn } from './pages/sign-in.tsx'
import { TEXTS } from './texts.ts'
import { Options } from './ui/choices.tsx'
import { Dialog } from './ui/dialog.tsx'
import { useKeys } from './ui/keys.ts'
import { Button, Loading, PageHead } from './ui/parts.tsx'
import { THEMES, type Theme, useTheme } from './ui/theme.ts'
import { Toasts } from './ui/toast.tsx'

const T = TEXTS.app

/** A page is fetched when it is first opened. */
const page = <Name extends string>(name: Name, load: () => Promise<Readonly<Record<Name, ComponentType>>>) =>
  lazy(async () => ({ default: (await load())[name] }))

const PAGES = [
  ['/', TEXTS.pages.overview, page('Overview', () => import('./pages/overview.tsx'))],
  ['/messages', TEXTS.pages.messages, page('Messages', () => import('./pages/messages.tsx'))],
  ['/dead-letters', TEXTS.pages.deadLetters, page('DeadLetters', () => import('./pages/dead-letters.tsx'))],
  ['/providers', TEXTS.pages.providers, page('Providers', () => import('./pages/providers.tsx'))],
  ['/routes', TEXTS.pages.routes, page('Routes', () => import('./pages/routes.tsx'))],
  ['/limits', TEXTS.pages.limits, page('Limits', () => import('./pages/limits.tsx'))],
  ['/templates', TEXTS.pages.templates, page('Templates', () => import('./pages/templates.tsx'))],
  ['/recipients', TEXTS.pages.recipients, page('Recipients', () => import('./pages/recipients.tsx'))],
  ['/suppressions', TEXTS.pages.suppressions, page('Suppressions', () => import('./pages/suppressions.tsx'))],
  ['/webhooks', TEXTS.pages.webhooks, page('Webhooks', () => import('./pages/webhooks.tsx'))],
  ['/simulator', TEXTS.pages.simulator, page('Simulator', () => import('./pages/simulator.tsx'))],
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
  return (
    <nav className="nav" aria-label={T.nav}>
      <Link href="/" className="nav-brand">
        <img src={icon} alt="" />
        {T.name}
      </Link>
      {PAGES.map(([path, name]) => (
        <Link
          key={path}
          ref={isHere(path) ? bringIntoView : null}
          href={path}
          className="nav-item"
          aria-current={isHere(path) ? 'page' : undefined}
        >
          {name}
        </Link>
      ))}
      <NavFoot />
    </nav>
  )
}

/** On a phone the pages stand side by side, and the one that is shown may be far to the right. */
function bringIntoView(item: HTMLElement | null): void {
  const nav = item?.parentElement
  if (nav) nav.scrollLeft = item.offsetLeft - (nav.clientWidth - item.offsetWidth) / 2
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
          <Options of={THEMES} nameOf={(one) => T.themes[one]} />
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
  return <span className={`live ${state === 'live' ? 'on' : state}`}>{T[state]}</span>
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
