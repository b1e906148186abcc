/** A virtualized table: only visible rows are rendered. It is a single tab stop. */
import '../../styles/messages-list.css'
import { type CSSProperties, type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { MESSAGES_TEXTS } from '../../texts/messages.ts'
import type { Display } from '../../ui/display.ts'
import { type Column, columnsOf, widthsOf } from './columns.ts'
import type { ListPosition } from './list-position.ts'
import type { Listing } from './listing.ts'
import { Row, rowId } from './row.tsx'
import { useHold, type View } from './use-hold.ts'
import { useMeasures } from './use-measures.ts'
import { useMoves } from './use-moves.ts'
import { usePosition } from './use-position.ts'
import { heightOf, useRows } from './use-rows.ts'

const T = MESSAGES_TEXTS

/** Fetches the next page this many rows before the end. */
const AHEAD = 40

type ListProps = Readonly<{
  listing: Listing
  display: Display
  /** Shows the results of the previous filters while new ones load. */
  isOld: boolean
  search: string
  position: RefObject<ListPosition | undefined>
  view: RefObject<() => View>
  onLetGo: () => void
  onNearEnd: (cursor: string) => void
}>

export function List({ listing, display, isOld, search, position, view, onLetGo, onNearEnd }: ListProps) {
  const { items, next } = listing
  const table = useRef<HTMLTableElement>(null)
  const body = useRef<HTMLTableSectionElement>(null)
  const [selected, select] = useState(position.current?.selected)
  const index = useMemo(() => items.findIndex(({ id }) => id === selected), [items, selected])
  const measures = useMeasures(body)
  const columns = useColumns(items, display.hidden)
  const height = heightOf(display.density, measures.isNarrow)
  const rows = useRows(items.length, measures, height, index)
  const seen = { first: rows.range?.startIndex ?? 0, last: rows.range?.endIndex ?? 0 }
  const onMove = (to: number | undefined): void => {
    select(to === undefined ? undefined : items[to]?.id)
    if (to === 0) scrollTo(0, 0)
    else if (to !== undefined) rows.scrollToIndex(to)
    table.current?.focus({ preventScroll: true })
  }
  const onKeyDown = useMoves({ items, index, seen, onMove })
  const focus = useHold({ view, top: measures.top, isAtRow: index >= 0, seen, onLetGo })
  usePosition({ table, position, search })
  useNearEnd(seen.last >= items.length - AHEAD ? next : null, onNearEnd)
  return (
    <table
      ref={table}
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table one walks through by keys is a grid
      role="grid"
      tabIndex={0}
      className={`messages ${measures.isNarrow ? 'narrow' : ''}`}
      aria-label={T.list}
      aria-busy={isOld}
      aria-rowcount={next === null ? items.length + 1 : -1}
      aria-activedescendant={index < 0 || selected === undefined ? undefined : rowId(selected)}
      onKeyDown={onKeyDown}
      style={{ '--columns': widthsOf(columns), '--row': `${height}px` } as CSSProperties}
      {...focus}
    >
      <Head columns={columns} />
      <tbody ref={body} style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index: at, start }) => {
          const message = items[at]
          if (message === undefined) return null
          const place = { index: at, offset: start - measures.top, isSelected: at === index }
          return <Row key={message.id} message={message} columns={columns} {...place} onOpen={select} />
        })}
      </tbody>
    </table>
  )
}

/** The same array as long as it has the same columns, so that rows are not rendered again. */
function useColumns(items: Listing['items'], hidden: Display['hidden']): readonly Column[] {
  const columns = useMemo(() => columnsOf(items, hidden), [items, hidden])
  const names = columns.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names say whether the columns are others
  return useMemo(() => columns, [names])
}

const Head = ({ columns }: Readonly<{ columns: readonly Column[] }>) => (
  <thead>
    <tr aria-rowindex={1}>
      {columns.map((column) => (
        <th key={column} scope="col" className={`at-${column}`}>
          <span className={column === 'channel' ? 'visually-hidden' : ''}>{T.columns[column]}</span>
        </th>
      ))}
    </tr>
  </thead>
)

function useNearEnd(cursor: string | null, onNearEnd: (cursor: string) => void): void {
  const latest = useRef(onNearEnd)
  latest.current = onNearEnd
  useEffect(() => {
    if (cursor !== null) latest.current(cursor)
  }, [cursor])
}
