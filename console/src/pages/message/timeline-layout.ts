/** The layout of the timeline: rows from top to bottom, times from left to right. */
import type { Axis } from './axis.ts'
import type { History } from './history.ts'
import type { TimelineEntry } from './timeline-entries.ts'

export const ROW_HEIGHT = 44
const [BAND_HEAD, TOP, FOOT] = [22, 6, 26]

export type Layout = Readonly<{
  axis: Axis
  /** The empty name is the gateway's row. */
  rows: readonly string[]
  top: number
  height: number
  /** The vertical centre of a row. */
  y: (row: string | undefined) => number
}>

export function toLayout({ providers, cycles }: History, axis: Axis): Layout {
  const rows = ['', ...providers]
  const top = cycles.length > 1 ? BAND_HEAD : TOP
  return {
    axis,
    rows,
    top,
    height: top + rows.length * ROW_HEIGHT + FOOT,
    y: (row = '') => top + (Math.max(0, rows.indexOf(row)) + 0.5) * ROW_HEIGHT,
  }
}

/** Events of the gateway itself, even if they belong to an attempt. */
const OURS = new Set([
  'MessageCreated',
  'MessageValidated',
  'ValidationFailed',
  'ResendRequested',
  'MessageErased',
  'MessageExpired',
])

export const rowOf = ({ kind, provider }: TimelineEntry): string => (OURS.has(kind) ? '' : (provider ?? ''))
