/** Chooses the rows to render: visible rows, some around them, and the selected row. */
import { defaultRangeExtractor, type Range, useWindowVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useLayoutEffect } from 'react'
import type { Density } from '../../ui/display.ts'
import type { Measures } from './use-measures.ts'

/** Row heights are fixed, so that rows need not be measured. The list passes them to styles/messages.css. */
const HEIGHTS: Readonly<Record<Density, Readonly<{ row: number; card: number }>>> = {
  comfortable: { row: 40, card: 64 },
  compact: { row: 32, card: 54 },
}
const HEAD_PX = 36
const OVERSCAN = 12

export const heightOf = (density: Density, isNarrow: boolean): number => HEIGHTS[density][isNarrow ? 'card' : 'row']

export function useRows(count: number, { top, isNarrow }: Measures, size: number, selected: number) {
  const rangeExtractor = useCallback((range: Range) => withRow(defaultRangeExtractor(range), selected), [selected])
  const rows = useWindowVirtualizer({
    count,
    estimateSize: () => size,
    overscan: OVERSCAN,
    scrollMargin: top,
    scrollPaddingStart: isNarrow ? 0 : HEAD_PX,
    scrollPaddingEnd: size,
    rangeExtractor,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another size, so all are measured again
  useLayoutEffect(() => rows.measure(), [rows, size])
  return rows
}

function withRow(indexes: number[], row: number): number[] {
  if (row < 0 || indexes.includes(row)) return indexes
  return [...indexes, row].sort((one, other) => one - other)
}
