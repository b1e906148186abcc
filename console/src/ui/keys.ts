/** Keys that do something wherever one is on the page, unless one is writing. */
import { useEffect, useRef } from 'react'

export type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>

const WRITING = 'input, textarea, select, [contenteditable]'

export function useKeys(keys: Keys): void {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (event.target instanceof Element && event.target.closest(`${WRITING}, dialog`) !== null) return
      const act = latest.current[event.key]
      if (act === undefined) return
      event.preventDefault()
      act(event)
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
}
