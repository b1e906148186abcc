/** A picture that may be wider than its room: it opens at its newest end, stays there as it grows, and knows its cuts. */
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react'

/** Less than this is no more than rounding. */
const SEEN = 2

/** At which ends there is more than can be seen, as a word list; and what to call when it is scrolled. */
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
