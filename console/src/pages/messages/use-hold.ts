/**
 * Whether rows stay where they are: while one has scrolled into the list, and while one goes from row to row. Elsewhere
 * new ones come in at the top by themselves.
 */
import { type FocusEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'

/** What is seen of the list, asked for whenever somebody wants to change it. */
export type View = Readonly<{ isHeld: boolean; first: number; last: number }>

export const NOTHING_SEEN: View = { isHeld: false, first: 0, last: 0 }

type Options = Readonly<{
  view: RefObject<() => View>
  top: number
  isAtRow: boolean
  seen: Readonly<{ first: number; last: number }>
  onLetGo: () => void
}>

export function useHold({ view, top, isAtRow, seen, onLetGo }: Options) {
  const [isFocused, setFocused] = useState(false)
  const isHeldNow = (): boolean => scrollY > top || (isFocused && isAtRow)
  const isHeld = isHeldNow()
  const wasHeld = useRef(isHeld)
  useLayoutEffect(() => {
    view.current = () => ({ isHeld: isHeldNow(), ...seen })
  })
  useEffect(() => {
    if (wasHeld.current && !isHeld) onLetGo()
    wasHeld.current = isHeld
  })
  useEffect(
    () => () => {
      view.current = () => NOTHING_SEEN
    },
    [view],
  )
  return {
    onFocus: (event: FocusEvent) => setFocused(event.target === event.currentTarget),
    onBlur: () => setFocused(false),
  }
}
