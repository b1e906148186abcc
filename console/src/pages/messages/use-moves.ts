/** Keyboard navigation: arrow keys within the list, j and k anywhere on the page. */
import type { KeyboardEvent } from 'react'
import { useLocation } from 'wouter'
import type { Message } from '../../api/client.ts'
import { useKeys } from '../../ui/keys.ts'

type Options = Readonly<{
  items: readonly Message[]
  /** The selected row, or -1. */
  index: number
  seen: Readonly<{ first: number; last: number }>
  /** Selects a row and scrolls to it; undefined clears the selection. */
  onMove: (index: number | undefined) => void
}>

export function useMoves({ items, index, seen, onMove }: Options) {
  const [, go] = useLocation()
  const moveTo = (to: number): void => onMove(Math.max(0, Math.min(items.length - 1, to)))
  const move = (by: number): void => moveTo(index < 0 ? seen.first : index + by)
  const page = Math.max(1, seen.last - seen.first - 1)
  const moves: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    PageDown: () => move(page),
    PageUp: () => move(-page),
    Home: () => moveTo(0),
    End: () => moveTo(items.length - 1),
    Enter: () => index >= 0 && go(`/messages/${items[index]?.id}`),
    Escape: () => onMove(undefined),
  }
  useKeys({ j: () => move(1), k: () => move(-1) })
  return (event: KeyboardEvent): void => {
    const act = moves[event.key]
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
    event.preventDefault()
    act()
  }
}
