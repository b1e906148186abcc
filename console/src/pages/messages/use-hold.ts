/**
 * Decides whether the rows are held in place: while the list is scrolled or navigated by keyboard. Otherwise new
 * messages appear at the top.
 */
import { type FocusEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'

/** The visible part of the list. */
export type View = Readonly<{ isHeld: boolean; first: number; last: number }>

export const NOT_SHOWN: View = { isHeld: false, first: 0, last: 0 }

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
      view.current = () => NOT_SHOWN
    },
    [view],
  )
  return {
    onFocus: (event: FocusEvent) => setFocused(event.target === event.currentTarget),
    onBlur: () => setFocused(false),
  }
}
