/** The navigation, the connection status and the account menu. */
import { useId } from 'react'
import { Link, useLocation } from 'wouter'
import { signOut, useSession } from '../api/session.ts'
import icon from '../icon.svg'
import { TEXTS } from '../texts.ts'
import { Options } from './choices.tsx'
import { LiveIndicator } from './connection.tsx'
import { Button } from './parts.tsx'
import { THEMES, type Theme, useTheme } from './theme.ts'

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
      <span className="soft nav-who">
        {session?.tenantId} · {session?.accountId}
      </span>
      <Button onClick={signOut}>{T.signOut}</Button>
    </div>
  )
}
