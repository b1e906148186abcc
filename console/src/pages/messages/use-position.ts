/** Restores the list position on the way back from a message, and saves it when one is opened. */
import { type RefObject, useLayoutEffect, useRef } from 'react'
import { type ListPosition, savePosition } from './list-position.ts'

type Options = Readonly<{
  table: RefObject<HTMLElement | null>
  position: RefObject<ListPosition | undefined>
  search: string
}>

export function usePosition({ table, position, search }: Options): void {
  const latest = useRef(search)
  latest.current = search
  useLayoutEffect(() => {
    const { scrollY: was, isFocused } = position.current ?? { scrollY: undefined, isFocused: false }
    if (was !== undefined) scrollTo(0, was)
    if (isFocused) table.current?.focus({ preventScroll: true })
    position.current = undefined
    const element = table.current
    return () => {
      const [, selected] = /\/messages\/([^/]+)$/.exec(location.pathname) ?? []
      if (selected === undefined) return
      savePosition({ search: latest.current, selected, scrollY, isFocused: document.activeElement === element })
      // The message page starts at its top.
      scrollTo(0, 0)
    }
  }, [position, table])
}
