/** The shell around every page: sign-in, navigation, connection status. */
import { type ComponentType, lazy, Suspense, useState } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { hasScope, type Session, useSession } from './api/session.ts'
import { SignIn } from './pages/sign-in.tsx'
import { TEXTS } from './texts.ts'
import { ConnectionBanner, useConnection } from './ui/connection.tsx'
import { useKeys } from './ui/keys.ts'
import { KeysHelp } from './ui/keys-help.tsx'
import { Nav } from './ui/nav.tsx'
import { OfferedToken } from './ui/offered-token.tsx'
import { PageBoundary, PageLoadError } from './ui/page-boundary.tsx'
import { Loading, PageHead } from './ui/parts.tsx'
import { Toasts } from './ui/toast.tsx'

const T = TEXTS.app

/** Loads the code of a page when it is first opened. */
const page = <Name extends string, Props>(
  name: Name,
  load: () => Promise<Readonly<Record<Name, ComponentType<Props>>>>,
) =>
  lazy(async () => {
    const code = await load().catch((cause) => {
      throw new PageLoadError(T.notFetched, { cause })
    })
    return { default: code[name] }
  })

/** `scope` is that without which a page has nothing to show. */
type PageEntry = Readonly<{ path: string; name: string; Page: ComponentType; scope?: string }>

const PAGES: readonly PageEntry[] = [
  { path: '/', name: TEXTS.pages.overview, Page: page('Overview', () => import('./pages/overview.tsx')) },
  { path: '/messages', name: TEXTS.pages.messages, Page: page('Messages', () => import('./pages/messages.tsx')) },
  {
    path: '/dead-letters',
    name: TEXTS.pages.deadLetters,
    Page: page('DeadLetters', () => import('./pages/dead-letters.tsx')),
  },
  { path: '/providers', name: TEXTS.pages.providers, Page: page('Providers', () => import('./pages/providers.tsx')) },
  { path: '/routes', name: TEXTS.pages.routes, Page: page('Routes', () => import('./pages/routes.tsx')) },
  { path: '/limits', name: TEXTS.pages.limits, Page: page('Limits', () => import('./pages/limits.tsx')) },
  { path: '/templates', name: TEXTS.pages.templates, Page: page('Templates', () => import('./pages/templates.tsx')) },
  {
    path: '/recipients',
    name: TEXTS.pages.recipients,
    Page: page('Recipients', () => import('./pages/recipients.tsx')),
  },
  {
    path: '/suppressions',
    name: TEXTS.pages.suppressions,
    Page: page('Suppressions', () => import('./pages/suppressions.tsx')),
  },
  { path: '/webhooks', name: TEXTS.pages.webhooks, Page: page('Webhooks', () => import('./pages/webhooks.tsx')) },
  {
    path: '/users',
    name: TEXTS.pages.users,
    scope: 'admin',
    Page: page('Users', () => import('./pages/users.tsx')),
  },
  {
    path: '/api-keys',
    name: TEXTS.pages.apiKeys,
    scope: 'admin',
    Page: page('ApiKeys', () => import('./pages/api-keys.tsx')),
  },
  {
    path: '/audit-log',
    name: TEXTS.pages.auditLog,
    scope: 'admin',
    Page: page('AuditLog', () => import('./pages/audit-log.tsx')),
  },
  {
    path: '/tenants',
    name: TEXTS.pages.tenants,
    scope: 'operator',
    Page: page('Tenants', () => import('./pages/tenants.tsx')),
  },
  { path: '/simulator', name: TEXTS.pages.simulator, Page: page('Simulator', () => import('./pages/simulator.tsx')) },
]

const Message = page('Message', () => import('./pages/message.tsx'))
const AcceptInvitation = page('AcceptInvitation', () => import('./pages/accept-invitation.tsx'))

export function App() {
  const session = useSession()
  return (
    <>
      <Switch>
        <Route path="/accept-invitation">
          <Suspense fallback={<Loading />}>
            <AcceptInvitation />
          </Suspense>
        </Route>
        <Route>{session === undefined ? <SignIn /> : <Shell session={session} />}</Route>
      </Switch>
      <OfferedToken />
      <Toasts />
    </>
  )
}

function Shell({ session }: Readonly<{ session: Session }>) {
  const [help, setHelp] = useState(false)
  const [here, go] = useLocation()
  useKeys({ '?': () => setHelp(true), g: () => go('/messages') })
  useConnection()
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {T.skip}
      </a>
      <Nav pages={PAGES.filter(({ scope }) => scope === undefined || hasScope(session, scope))} />
      <div className="shell-page">
        <ConnectionBanner />
        <main className="main" id="content" tabIndex={-1}>
          <PageBoundary key={here}>
            <Suspense fallback={<Loading />}>
              <Shown />
            </Suspense>
          </PageBoundary>
        </main>
      </div>
      {help && <KeysHelp onClose={() => setHelp(false)} />}
    </div>
  )
}

const Shown = () => (
  <Switch>
    {PAGES.map(({ path, Page }) => (
      <Route key={path} path={path} component={Page} />
    ))}
    <Route path="/messages/:id">{({ id }) => <Message key={id} id={id} />}</Route>
    <Route>
      <PageHead title={T.notFound} />
    </Route>
  </Switch>
)
