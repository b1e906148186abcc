/** Chooses the rows to render: visible rows, some around them, and the selected row. */
import { defaultRangeExtractor, type Range, useWindowVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useLayoutEffect } from 'react'
import type { Measures } from './use-measures.ts'

// Row heights are fixed (see styles/messages.css), so that rows need not be measured.
const ROW_PX = 40
const CARD_PX = 62
const HEAD_PX = 36
const OVERSCAN = 12

export function useRows(count: number, { top, isNarrow }: Measures, selected: number) {
  const size = isNarrow ? CARD_PX : ROW_PX
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
