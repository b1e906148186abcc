/** The navigation, the connection status and the account menu. */
import { useId, useState } from 'react'
import { createPortal } from 'react-dom'
import { Link, useLocation } from 'wouter'
import { type Session, signOut, useSession } from '../api/session.ts'
import icon from '../icon.svg'
import { TEXTS } from '../texts.ts'
import { ChangePassword } from './change-password.tsx'
import { Options } from './choices.tsx'
import { LiveIndicator } from './connection.tsx'
import { Button } from './parts.tsx'
import { THEMES, type Theme, useTheme } from './theme.ts'
import { showToast } from './toast.tsx'

const T = TEXTS.app

type Pages = readonly Readonly<{ path: string; name: string }>[]

export function Nav({ pages }: Readonly<{ pages: Pages }>) {
  const [here] = useLocation()
  const foot = useId()
  const isHere = (path: string): boolean => (path === '/' ? here === '/' : here.startsWith(path))
  return (
    <nav className="nav" aria-label={T.nav}>
      <Link href="/" className="nav-brand">
        <img src={icon} alt="" />
        <span>{T.name}</span>
      </Link>
      <div className="nav-pages">
        {pages.map(({ path, name }) => (
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
      </div>
      <Button className="nav-more" popoverTarget={foot}>
        {T.more}
      </Button>
      <NavFoot id={foot} />
    </nav>
  )
}

/** On phones the pages are in a scrolling row, and the current one may be out of view. */
function bringIntoView(item: HTMLElement | null): void {
  const pages = item?.parentElement
  if (pages) pages.scrollLeft = item.offsetLeft - pages.offsetLeft - (pages.clientWidth - item.offsetWidth) / 2
}

/** Always visible on wide screens; a popover on narrow ones. */
function NavFoot({ id }: Readonly<{ id: string }>) {
  const session = useSession()
  const [theme, setTheme] = useTheme()
  return (
    <div id={id} className="nav-foot" popover="auto">
      <LiveIndicator />
      <label>
        <span className="visually-hidden">{T.theme}</span>
        <select className="input" value={theme} onChange={(event) => setTheme(event.target.value as Theme)}>
          <Options of={THEMES} nameOf={(one) => T.themes[one]} />
        </select>
      </label>
      {session !== undefined && <Who session={session} />}
    </div>
  )
}

/** Breaks before the @ where it is too long. */
function Address({ email }: Readonly<{ email: string }>) {
  const at = email.lastIndexOf('@')
  return (
    <strong>
      {email.slice(0, at)}
      <wbr />
      {email.slice(at)}
    </strong>
  )
}

/** Who is signed in, as what, and where. The dialog is outside the menu, which closes when it opens. */
function Who({ session }: Readonly<{ session: Session }>) {
  const { user, tenantId, accountId } = session
  const [isChanging, setChanging] = useState(false)
  const leave = (): void => void signOut().catch(() => showToast(T.notSignedOut, 'bad'))
  return (
    <>
      <span className="nav-who">
        {user !== undefined && <Address email={user.email} />}
        <span className="soft">
          {user === undefined ? T.byToken : TEXTS.users.roles[user.role]} · {tenantId}
          {user === undefined && ` · ${accountId}`}
        </span>
      </span>
      {user?.sign_in === 'password' && <Button onClick={() => setChanging(true)}>{T.changePassword}</Button>}
      <Button onClick={leave}>{T.signOut}</Button>
      {isChanging && createPortal(<ChangePassword onClose={() => setChanging(false)} />, document.body)}
    </>
  )
}
