/** Where things are in the picture of a timeline: rows from top to bottom, times from left to right. */
import type { Axis } from './axis.ts'
import type { Happening } from './happenings.ts'
import type { Story } from './story.ts'

export const ROW_HEIGHT = 44
const [BAND_HEAD, TOP, FOOT] = [22, 6, 26]

export type Layout = Readonly<{
  axis: Axis
  /** The empty name is our own row. */
  rows: readonly string[]
  top: number
  height: number
  /** The middle of a row. */
  y: (row: string | undefined) => number
}>

export function toLayout({ providers, cycles }: Story, axis: Axis): Layout {
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

/** What we do ourselves is in our own row, though it may belong to an attempt. */
const OURS = new Set([
  'MessageCreated',
  'MessageValidated',
  'ValidationFailed',
  'ResendRequested',
  'MessageErased',
  'MessageExpired',
])

export const rowOf = ({ kind, provider }: Happening): string => (OURS.has(kind) ? '' : (provider ?? ''))
