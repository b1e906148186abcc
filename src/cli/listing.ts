/** Messages as a table, one a line. */
import { type Json, numberIn, textIn } from './json.ts'
import { paint, paintStatus, toDayTime, toPlain, toTable } from './render.ts'
import type { Output } from './world.ts'

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
