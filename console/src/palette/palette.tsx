/** The command palette: finds pages, actions, messages and what is configured. */
import '../styles/palette.css'
import { Clock, Search } from 'lucide-react'
import { type KeyboardEvent, type MouseEvent, useRef, useState } from 'react'
import { Autocomplete, Input, ListBox, TextField } from 'react-aria-components'
import { createPortal } from 'react-dom'
import { useLocation } from 'wouter'
import { useHasSimulator } from '../api/providers.ts'
import type { Session } from '../api/session.ts'
import { PALETTE_TEXTS } from '../texts/palette.ts'
import { useDebounced } from '../ui/debounced.ts'
import { useModal } from '../ui/dialog.tsx'
import { useTheme } from '../ui/theme.ts'
import { actionsOf, pagesOf } from './commands.tsx'
import { type Entry, find, type Group } from './entry.ts'
import { useLookup } from './lookups.tsx'
import { addSearch, readSearches } from './recent.ts'
import { PaletteFoot, ResultGroup } from './results.tsx'

const T = PALETTE_TEXTS

type PaletteProps = Readonly<{ session: Session; onKeysHelp: () => void; onClose: () => void }>

export function Palette({ session, onKeysHelp, onClose }: PaletteProps) {
  const dialog = useModal()
  const list = useRef<HTMLDivElement>(null)
  const [text, setText] = useState('')
  const { groups, isSearching, isFailed } = useResults({ text, session, onKeysHelp, onSearch: setText })
  const entries = groups.flatMap((group) => group.entries)
  const run = (id: unknown): void => {
    const entry = entries.find((one) => one.id === id)
    if (entry === undefined) return
    if (!entry.id.startsWith(RECENT)) {
      if (text.trim() !== '') addSearch(sessionStorage, session.tenantId, text)
      onClose()
    }
    entry.run()
  }
  /** Without a result in focus, as after pasting, Enter opens the first. */
  const openFirst = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
    if (list.current?.querySelector('[role=option][data-focused]')) return
    event.preventDefault()
    event.stopPropagation()
    run(entries[0]?.id)
  }
  const closeOutside = (event: MouseEvent): void => {
    if (event.target === event.currentTarget) onClose()
  }
  // An open popover makes everything else inert, except for what is a child of the body and says so.
  return createPortal(
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, too
    <dialog
      ref={dialog}
      className="palette"
      aria-label={T.title}
      data-react-aria-top-layer="true"
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={closeOutside}
      onKeyDownCapture={openFirst}
    >
      <div className="palette-body">
        <Autocomplete inputValue={text} onInputChange={setText}>
          <TextField aria-label={T.hint} className="palette-field" autoFocus>
            <Search aria-hidden="true" />
            <Input role="combobox" aria-expanded="true" aria-haspopup="listbox" placeholder={T.hint} />
          </TextField>
          <ListBox
            ref={list}
            aria-label={T.results}
            className="palette-list"
            onAction={run}
            renderEmptyState={() => <p className="palette-empty">{isSearching ? T.looking : T.nothing(text.trim())}</p>}
          >
            {groups.map((group) => (
              <ResultGroup key={group.id} group={group} />
            ))}
          </ListBox>
        </Autocomplete>
        {isFailed && (
          <p className="palette-failed" role="alert">
            {T.failed}
          </p>
        )}
        <p className="visually-hidden" role="status">
          {isSearching ? '' : T.count(entries.length)}
        </p>
        <PaletteFoot />
      </div>
    </dialog>,
    document.body,
  )
}

const RECENT = 'recent '

type Asked = Readonly<{ text: string; session: Session; onKeysHelp: () => void; onSearch: (text: string) => void }>

function useResults({ text, session, onKeysHelp, onSearch }: Asked) {
  const [, go] = useLocation()
  const [theme, setTheme] = useTheme()
  const [searches] = useState(() => readSearches(sessionStorage, session.tenantId))
  const debounced = useDebounced(text)
  const { groups, isSearching, isFailed } = useLookup({ text: debounced, session, go })
  const { has: hasSimulator } = useHasSimulator(session)
  const isDark = theme === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark'
  const group = (id: keyof typeof T.groups, entries: readonly Entry[]): Group => ({ id, name: T.groups[id], entries })
  const recent = searches.map((one) => ({
    id: `${RECENT}${one}`,
    name: one,
    icon: <Clock aria-hidden="true" />,
    run: () => onSearch(one),
  }))
  const commands = [
    group('actions', find(text, actionsOf({ session, hasSimulator, go, isDark, setTheme, onKeysHelp }))),
    group('pages', find(text, pagesOf({ session, hasSimulator, go }))),
  ]
  const isEmpty = text.trim() === ''
  const shown = isEmpty ? [group('recent', recent), ...commands] : [...commands.toReversed(), ...groups]
  return {
    groups: shown.filter(({ entries }) => entries.length > 0),
    isSearching: !isEmpty && (isSearching || debounced !== text),
    isFailed: !isEmpty && isFailed,
  }
}
