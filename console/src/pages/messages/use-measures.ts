/** The position of the list on the page, and whether there is room for columns. */
import { type RefObject, useLayoutEffect, useState } from 'react'

const COLUMNS_FROM_PX = 760

export type Measures = Readonly<{ top: number; isNarrow: boolean }>

export function useMeasures(rows: RefObject<HTMLElement | null>): Measures {
  const [measures, setMeasures] = useState<Measures>({ top: 0, isNarrow: false })
  useLayoutEffect(() => {
    const measure = (): void => {
      const box = rows.current?.getBoundingClientRect()
      if (box === undefined) return
      const next = { top: Math.round(box.top + window.scrollY), isNarrow: box.width < COLUMNS_FROM_PX }
      setMeasures((before) => (before.top === next.top && before.isNarrow === next.isNarrow ? before : next))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [rows])
  return measures
}
