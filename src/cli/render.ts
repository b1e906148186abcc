/** Terminal output: times, durations, colours and tables. Times are UTC, as in the API and the logs. */
import { stripVTControlCharacters, styleText } from 'node:util'
import { type Json, numberIn, textIn } from './json.ts'
import type { Output } from './world.ts'

type Colour = 'green' | 'red' | 'yellow' | 'cyan' | 'gray' | 'bold'

export const paint = ({ hasColours }: Output, colour: Colour, text: string): string =>
  hasColours ? styleText(colour, text, { validateStream: false }) : text

const STATUS_COLOURS: Readonly<Record<string, Colour>> = {
  queued: 'gray',
  sending: 'cyan',
  sent: 'cyan',
  delivered: 'green',
  failed: 'red',
  expired: 'yellow',
}

export const paintStatus = (out: Output, status: string): string => {
  const colour = STATUS_COLOURS[status]
  return colour === undefined ? status : paint(out, colour, status)
}

/** `12:00:01.123Z`; returns invalid times unchanged. */
export const toClockTime = (iso: string): string => (Number.isNaN(Date.parse(iso)) ? iso : iso.slice(11))

/** `2026-05-01 12:00:01Z`. */
export const toDayTime = (iso: string): string =>
  Number.isNaN(Date.parse(iso)) ? iso : `${iso.slice(0, 10)} ${iso.slice(11, 19)}Z`

/** `12 ms`, `3.4 s`, `2 min 5 s`, `3 h 20 min`. */
export function toDuration(millis: number): string {
  if (millis < 1000) return `${millis} ms`
  if (millis < 60_000) return `${(millis / 1000).toFixed(1)} s`
  const minutes = Math.floor(millis / 60_000)
  const [hours, seconds] = [Math.floor(minutes / 60), Math.floor((millis % 60_000) / 1000)]
  return hours === 0 ? `${minutes} min ${seconds} s` : `${hours} h ${minutes % 60} min`
}

/** `12 KiB`, `3.4 MiB`, `5.6 GiB`. */
export function toSize(bytes: number): string {
  const [kib, mib] = [bytes / 1024, bytes / 1024 ** 2]
  if (mib < 1) return `${Math.ceil(kib)} KiB`
  return mib < 1024 ? `${mib.toFixed(1)} MiB` : `${(mib / 1024).toFixed(1)} GiB`
}

/** The time between two times; empty when one of them is invalid. */
export function toWait(from: string, to: string): string {
  const wait = Date.parse(to) - Date.parse(from)
  return Number.isNaN(wait) ? '' : toDuration(Math.max(0, wait))
}

/** The end of an id: ids created in the same minute begin alike. */
export const toShortId = (id: string): string => (id.length > 12 ? `…${id.slice(-12)}` : id)

/** Aligns columns; colour codes do not count towards the width. */
export function toTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ''))))
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return rows.map((row) => `${line(row)}\n`).join('')
}

export const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)))

const widthOf = (text: string): number => stripVTControlCharacters(text).length

/** Strips control characters, so that foreign text cannot steer the terminal. */
export const toPlain = (text: string): string => stripVTControlCharacters(text).replace(/\p{Cc}/gu, ' ')

/** A table of messages, one per row. */
export const drawListing = (out: Output, messages: readonly Json[]): string =>
  toTable([HEAD, ...messages.map((message) => toRow(out, message))])

const HEAD = ['created', 'status', 'id', 'to', 'provider', 'attempts', 'error']

function toRow(out: Output, message: Json): readonly string[] {
  const text = (key: string): string => toPlain(textIn(message, key) ?? '')
  return [
    toDayTime(text('created_at')),
    paintStatus(out, text('status')),
    text('id'),
    text('to'),
    text('provider'),
    String(numberIn(message, 'attempts') ?? ''),
    paint(out, 'gray', text('error_code')),
  ]
}
