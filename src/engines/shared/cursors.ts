/**
 * The cursors of lists: where the next page begins. Every list parses its own through here, and refuses what it could not
 * have written.
 */
import { parseMessageId } from '../../domain/ids.ts'
import { MalformedCursor } from '../../ports/malformed-cursor.ts'

/** What was parsed, unless nothing was. */
export function wellFormed<Parsed>(parsed: Parsed | undefined): Parsed {
  if (parsed === undefined) throw new MalformedCursor()
  return parsed
}

/** A time and a number, or an id, that distinguishes what has the same time. */
export const toCursor = (at: number, which: number | string): string =>
  `${at.toString(36)}.${typeof which === 'number' ? which.toString(36) : which}`

const NUMBERED = /^(-?[0-9a-z]{1,11})\.(-?[0-9a-z]{1,11})$/
const IDENTIFIED = /^(-?[0-9a-z]{1,11})\.([0-9a-f-]{36})$/

export function parseNumbered(cursor: string): [at: number, n: number] {
  const [, time = '', number = ''] = wellFormed(NUMBERED.exec(cursor) ?? undefined)
  return [parseSafe(time), parseSafe(number)]
}

export function parseIdentified(cursor: string): [at: number, id: string] {
  const [, time = '', id = ''] = wellFormed(IDENTIFIED.exec(cursor) ?? undefined)
  return [parseSafe(time), wellFormed(parseMessageId(id))]
}

function parseSafe(text: string): number {
  const parsed = Number.parseInt(text, 36)
  return wellFormed(Number.isSafeInteger(parsed) ? parsed : undefined)
}
