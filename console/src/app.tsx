/** The shell around every page: sign-in, navigation, connection status. */
import { lazy, Suspense, useState } from 'react'
import { Link, Route, Switch, useLocation } from 'wouter'
import { useHasSimulator } from './api/providers.ts'
import { type Session, useSession } from './api/session.ts'
import { SignIn } from './pages/sign-in.tsx'
import { PAGE_GROUPS, page, pageGroupsOf } from './pages.tsx'
import { APP_TEXTS } from './texts/app.ts'
import { ConnectionBanner, useConnection } from './ui/connection.tsx'
import { useKeys } from './ui/keys.ts'
import { Nav } from './ui/nav.tsx'
import { OfferedToken } from './ui/offered-token.tsx'
import { PageBoundary } from './ui/page-boundary.tsx'
import { closePalette, PALETTE, usePaletteKey, usePaletteOpen } from './ui/palette.ts'
import { Empty, Loading, PageHead } from './ui/parts.tsx'
import { Toasts } from './ui/toast.tsx'

const T = APP_TEXTS

const Message = page('Message', () => import('./pages/message.tsx'))
const AcceptInvitation = page('AcceptInvitation', () => import('./pages/accept-invitation.tsx'))
const KeysHelp = lazy(async () => ({ default: (await import('./ui/keys-help.tsx')).KeysHelp }))

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
  usePaletteKey()
  const isPaletteOpen = usePaletteOpen()
  const Palette = PALETTE.useCode()
  const { has: hasSimulator } = useHasSimulator(session)
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {T.skip}
      </a>
      <Nav groups={pageGroupsOf(session, hasSimulator)} session={session} />
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
      {isPaletteOpen && Palette !== undefined && (
        <Palette session={session} onKeysHelp={() => setHelp(true)} onClose={closePalette} />
      )}
      {help && (
        <Suspense>
          <KeysHelp onClose={() => setHelp(false)} />
        </Suspense>
      )}
    </div>
  )
}

const Shown = () => (
  <Switch>
    {PAGE_GROUPS.flatMap(({ pages }) => pages).map(({ path, Page }) => (
      <Route key={path} path={path} component={Page} />
    ))}
    <Route path="/messages/:id">{({ id }) => <Message key={id} id={id} />}</Route>
    <Route>
      <PageHead title={T.notFound} />
      <Empty>
        {T.notFoundAbout}
        <Link href="/" className="button">
          {T.toOverview}
        </Link>
      </Empty>
    </Route>
  </Switch>
)
