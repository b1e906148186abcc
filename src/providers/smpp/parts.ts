/**
 * Encodes an SMS in GSM 03.38 (one septet per octet), Latin-1 or big-endian UTF-16, and splits it into parts.
 *
 * Extension pairs and surrogate pairs are never split. The size of a part is that of `segments.ts`, so a text has as many
 * parts as the `segments` that we report to the sender.
 */
import { type Encoding, GSM_BASIC, GSM_ESCAPE, GSM_EXTENSION, ROOM, type Room } from '../../domain/message/segments.ts'

/** Some SMSCs use Latin-1 as the default alphabet and convert it to GSM 03.38. */
export type Alphabet = Encoding | 'latin1'

const ROOMS: Readonly<Record<Alphabet, Room>> = { ...ROOM, latin1: ROOM.gsm7 }

/** One character, which is never split. */
type EncodedCharacter = Readonly<{ octets: readonly number[]; units: number }>

const GSM7: ReadonlyMap<string, EncodedCharacter> = new Map([
  ...encodeAll(GSM_BASIC, (code) => ({ octets: [code], units: 1 })),
  ...encodeAll(GSM_EXTENSION, (code) => ({ octets: [GSM_ESCAPE, code], units: 2 })),
])

/** One octet each; `units` is its size in GSM 03.38. */
const LATIN1: ReadonlyMap<string, EncodedCharacter> = new Map(
  encodeAll(GSM7, ({ units }, character) => ({ octets: [character.charCodeAt(0)], units })).filter(
    ([character]) => character <= '\u00ff',
  ),
)

const ENCODERS: Readonly<Record<Alphabet, (character: string) => EncodedCharacter | undefined>> = {
  gsm7: (character) => GSM7.get(character),
  latin1: (character) => LATIN1.get(character),
  ucs2: toUtf16,
}

/** Undefined if the alphabet lacks a character of the text; UCS-2 never does. */
export function toParts(text: string, alphabet: 'ucs2', room?: Room): readonly Uint8Array[]
export function toParts(text: string, alphabet: Alphabet, room?: Room): readonly Uint8Array[] | undefined
export function toParts(text: string, alphabet: Alphabet, room = ROOMS[alphabet]): readonly Uint8Array[] | undefined {
  const encoded: EncodedCharacter[] = []
  let units = 0
  for (const character of text) {
    const one = ENCODERS[alphabet](character)
    if (one === undefined) return undefined
    encoded.push(one)
    units += one.units
  }
  return fill(encoded, units <= room.single ? room.single : room.part)
}

function fill(characters: readonly EncodedCharacter[], room: number): readonly Uint8Array[] {
  const parts: Uint8Array[] = []
  let octets: number[] = []
  let used = 0
  for (const character of characters) {
    if (used + character.units > room) {
      parts.push(Uint8Array.from(octets))
      octets = []
      used = 0
    }
    octets.push(...character.octets)
    used += character.units
  }
  return [...parts, Uint8Array.from(octets)]
}

function toUtf16(character: string): EncodedCharacter {
  const octets: number[] = []
  for (let at = 0; at < character.length; at += 1) {
    const unit = character.charCodeAt(at)
    octets.push(unit >> 8, unit & 0xff)
  }
  return { octets, units: character.length }
}

function encodeAll<T>(
  characters: ReadonlyMap<string, T>,
  encode: (code: T, character: string) => EncodedCharacter,
): readonly (readonly [string, EncodedCharacter])[] {
  return Array.from(characters, ([character, code]) => [character, encode(code, character)])
}
