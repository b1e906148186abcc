/** Goes back to where one was when a message was opened, and remembers it when one is. */
import { type RefObject, useLayoutEffect, useRef } from 'react'
import { keepPlace, type Place } from './place.ts'

type Options = Readonly<{
  table: RefObject<HTMLElement | null>
  place: RefObject<Place | undefined>
  search: string
}>

export function usePlace({ table, place, search }: Options): void {
  const latest = useRef(search)
  latest.current = search
  useLayoutEffect(() => {
    const { scrollY: was, isFocused } = place.current ?? { scrollY: undefined, isFocused: false }
    if (was !== undefined) scrollTo(0, was)
    if (isFocused) table.current?.focus({ preventScroll: true })
    place.current = undefined
    const element = table.current
    return () => {
      const [, selected] = /\/messages\/([^/]+)$/.exec(location.pathname) ?? []
      if (selected === undefined) return
      keepPlace({ search: latest.current, selected, scrollY, isFocused: document.activeElement === element })
      // The message is another page, which begins at its top.
      scrollTo(0, 0)
    }
  }, [place, table])
}
