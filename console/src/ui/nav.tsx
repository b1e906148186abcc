/** The navigation: a column on wide screens, a drawer on narrow ones. */
import '../styles/nav.css'
import { BookOpenText, ExternalLink, Menu, Search, X } from 'lucide-react'
import { type SyntheticEvent, useEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { Session } from '../api/session.ts'
import icon from '../icon.svg'
import type { PageGroup } from '../pages.tsx'
import { APP_TEXTS } from '../texts/app.ts'
import { COMMON_TEXTS } from '../texts/common.ts'
import { Account } from './account.tsx'
import { LiveIndicator } from './connection.tsx'
import { useModal } from './dialog.tsx'
import { openPalette, PALETTE, SHORTCUT } from './palette.ts'
import { Button } from './parts.tsx'
import { ThemeToggle } from './theme-toggle.tsx'

const T = APP_TEXTS

type NavProps = Readonly<{ groups: readonly PageGroup[]; session: Session }>

export const Nav = (props: NavProps) => (
  <>
    <Bar {...props} />
    <NavColumn {...props} />
  </>
)

const Brand = () => (
  <Link href="/" className="nav-brand">
    <img src={icon} alt="" />
    <span>{T.name}</span>
  </Link>
)

const OPEN_PALETTE = {
  'aria-keyshortcuts': SHORTCUT.aria,
  onPointerEnter: PALETTE.prepare,
  onFocus: PALETTE.prepare,
  onClick: () => void openPalette(),
} as const

const SearchButton = () => (
  <button type="button" className="nav-search" {...OPEN_PALETTE}>
    <Search aria-hidden="true" />
    <span>{COMMON_TEXTS.search}</span>
    <kbd>{SHORTCUT.shown}</kbd>
  </button>
)

function NavColumn({ groups, session }: NavProps) {
  const [here] = useLocation()
  const pages = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the current page changes with the address
  useEffect(() => showCurrent(pages.current), [here])
  return (
    <nav className="nav" aria-label={T.nav}>
      <div className="nav-head">
        <Brand />
        <SearchButton />
      </div>
      <div className="nav-pages" ref={pages}>
        {groups.map(({ name, pages }) => (
          <NavGroup key={name} name={name} pages={pages} />
        ))}
        <div className="nav-group">
          <ul>
            <li>
              <a className="nav-item" href="/docs" target="_blank" rel="noreferrer">
                <BookOpenText aria-hidden="true" />
                {T.reference}
                <ExternalLink className="nav-away" aria-label={T.newTab} />
              </a>
            </li>
          </ul>
        </div>
      </div>
      <div className="nav-foot">
        <LiveIndicator />
        <ThemeToggle />
        <Account session={session} />
      </div>
    </nav>
  )
}

/** What is below fades out in so many pixels; see nav.css. */
const FADE = 24

/** Scrolls to the current page. The browser's own way to do that would make Tab go on from there. */
function showCurrent(pages: HTMLElement | null): void {
  const current = pages?.querySelector('[aria-current]')?.getBoundingClientRect()
  if (pages === null || current === undefined) return
  const { top, bottom } = pages.getBoundingClientRect()
  pages.scrollTop += Math.max(0, current.bottom + FADE - bottom) + Math.min(0, current.top - FADE - top)
}

function NavGroup({ name, pages }: PageGroup) {
  const [here] = useLocation()
  /** A page below another one is not that page. */
  const isHere = (path: string): boolean =>
    here === path || (path !== '/' && here.startsWith(`${path}/`) && pages.every((one) => one.path !== here))
  return (
    <section className="nav-group">
      <h2>{name}</h2>
      <ul>
        {pages.map(({ path, name: title, icon: Icon }) => (
          <li key={path}>
            <Link href={path} className="nav-item" aria-current={isHere(path) ? 'page' : undefined}>
              <Icon aria-hidden="true" />
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Bar(props: NavProps) {
  const [isOpen, setOpen] = useState(false)
  const [here] = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawer closes when another page opens
  useEffect(() => setOpen(false), [here])
  return (
    <>
      <header className="nav-bar">
        <Button kind="plain" className="icon-only" aria-label={T.openMenu} onClick={() => setOpen(true)}>
          <Menu aria-hidden="true" />
        </Button>
        <Brand />
        <Button kind="plain" className="icon-only" aria-label={T.openPalette} title={T.openPalette} {...OPEN_PALETTE}>
          <Search aria-hidden="true" />
        </Button>
      </header>
      {isOpen && <Drawer {...props} onClose={() => setOpen(false)} />}
    </>
  )
}

/** Open as long as it is rendered. The browser keeps the focus inside, and closes it on Escape. */
function Drawer({ onClose, ...props }: NavProps & Readonly<{ onClose: () => void }>) {
  const ref = useModal()
  /** React also passes on the events of dialogs that the drawer opens. */
  const closeOnOwn = ({ target, currentTarget }: SyntheticEvent): void => {
    if (target === currentTarget) onClose()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click outside closes it, as Escape does
    <dialog ref={ref} className="nav-drawer" aria-label={T.menu} onClick={closeOnOwn} onClose={closeOnOwn}>
      <NavColumn {...props} />
      <Button kind="plain" className="icon-only nav-drawer-close" aria-label={T.closeMenu} onClick={onClose}>
        <X aria-hidden="true" />
      </Button>
    </dialog>
  )
}
