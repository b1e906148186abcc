/** Keeps a scrollable picture at its newest end while it grows, and reports where it is cut off. */
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react'

/** Ignores rounding errors. */
const SEEN = 2

/** The cut edges as a space-separated list, and the scroll handler. */
export function useNewestEnd(
  box: RefObject<HTMLElement | null>,
  width: number,
  room: number,
): readonly [cuts: string, onScroll: () => void] {
  const isAtEnd = useRef(true)
  const [cuts, setCuts] = useState('')
  const look = useCallback((): void => {
    if (box.current === null) return
    const { scrollLeft: left, scrollWidth, clientWidth } = box.current
    const right = scrollWidth - clientWidth - left
    isAtEnd.current = right < SEEN
    setCuts([...(left < SEEN ? [] : ['left']), ...(right < SEEN ? [] : ['right'])].join(' '))
  }, [box])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another width moves the end
  useLayoutEffect(() => {
    if (isAtEnd.current && box.current !== null) box.current.scrollLeft = box.current.scrollWidth
    look()
  }, [box, look, width, room])
  return [cuts, look]
}
