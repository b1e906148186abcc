/** Page-wide keyboard shortcuts, inactive while typing. */
import { useEffect, useRef } from 'react'

type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>

const WRITING = 'input, textarea, select, [contenteditable]'

export function useKeys(keys: Keys): void {
  useKeyDown((event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.target instanceof Element && event.target.closest(`${WRITING}, dialog`) !== null) return
    const act = keys[event.key]
    if (act === undefined) return
    event.preventDefault()
    act(event)
  })
}

/** Every key press on the page, also while typing. */
export function useKeyDown(onKeyDown: (event: KeyboardEvent) => void): void {
  const latest = useRef(onKeyDown)
  latest.current = onKeyDown
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => latest.current(event)
    addEventListener('keydown', listener)
    return () => removeEventListener('keydown', listener)
  }, [])
}
