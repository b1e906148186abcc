/**
 * The octets of an SMS as they travel: GSM 03.38 with one septet to an octet, Latin-1, or UTF-16 with the
 * high octet first, cut into parts that are joined again on the phone.
 *
 * No cut goes through an extension pair or a surrogate pair. The room is that of `segments.ts`, so a text has as
 * many parts as its sender was told.
 */
import { type Encoding, GSM_BASIC, GSM_ESCAPE, GSM_EXTENSION, ROOM, type Room } from '../../domain/message/segments.ts'

/** Latin-1 is for those that want it for their default alphabet; the network makes GSM 03.38 of it again. */
export type Alphabet = Encoding | 'latin1'

const ROOMS: Readonly<Record<Alphabet, Room>> = { ...ROOM, latin1: ROOM.gsm7 }

/** What is never cut: one character. */
type Piece = Readonly<{ octets: readonly number[]; units: number }>

const GSM7: ReadonlyMap<string, Piece> = new Map([
  ...pieces(GSM_BASIC, (code) => ({ octets: [code], units: 1 })),
  ...pieces(GSM_EXTENSION, (code) => ({ octets: [GSM_ESCAPE, code], units: 2 })),
])

/** One octet each, and the room it takes once it is GSM 03.38. */
const LATIN1: ReadonlyMap<string, Piece> = new Map(
  pieces(GSM7, ({ units }, character) => ({ octets: [character.charCodeAt(0)], units })).filter(
    ([character]) => character <= '\u00ff',
  ),
)

const pieceOf: Readonly<Record<Alphabet, (character: string) => Piece | undefined>> = {
  gsm7: (character) => GSM7.get(character),
  latin1: (character) => LATIN1.get(character),
  ucs2: toUtf16,
}

/** Undefined when the alphabet lacks a character of the text, which UCS-2 never does. */
export function toParts(text: string, alphabet: 'ucs2', room?: Room): readonly Uint8Array[]
export function toParts(text: string, alphabet: Alphabet, room?: Room): readonly Uint8Array[] | undefined
export function toParts(text: string, alphabet: Alphabet, room = ROOMS[alphabet]): readonly Uint8Array[] | undefined {
  const found: Piece[] = []
  let units = 0
  for (const character of text) {
    const piece = pieceOf[alphabet](character)
    if (piece === undefined) return undefined
    found.push(piece)
    units += piece.units
  }
  return fill(found, units <= room.single ? room.single : room.part)
}

function fill(pieces: readonly Piece[], room: number): readonly Uint8Array[] {
  const parts: Uint8Array[] = []
  let octets: number[] = []
  let used = 0
  for (const piece of pieces) {
    if (used + piece.units > room) {
      parts.push(Uint8Array.from(octets))
      octets = []
      used = 0
    }
    octets.push(...piece.octets)
    used += piece.units
  }
  return [...parts, Uint8Array.from(octets)]
}

function toUtf16(character: string): Piece {
  const octets: number[] = []
  for (let at = 0; at < character.length; at += 1) {
    const unit = character.charCodeAt(at)
    octets.push(unit >> 8, unit & 0xff)
  }
  return { octets, units: character.length }
}

function pieces<T>(
  characters: ReadonlyMap<string, T>,
  toPiece: (of: T, character: string) => Piece,
): readonly (readonly [string, Piece])[] {
  return Array.from(characters, ([character, of]) => [character, toPiece(of, character)])
}
