/**
 * How a text travels as SMS: GSM 03.38 where it can, UCS-2 otherwise, in one part or several.
 *
 * A long text loses room in each part to the header that joins the parts. An extension character
 * (two septets) and a surrogate pair (two units) are never split over two parts, so the count is
 * found by filling parts, not by division.
 */
export type Encoding = 'gsm7' | 'ucs2'
export type Segmentation = Readonly<{ encoding: Encoding; units: number; segments: number }>
type TextPart = Readonly<{ text: string; units: number }>

/** The characters of GSM 03.38 by code, 16 per line; 0x1B is the escape and not a character. */
export const GSM_BASIC: ReadonlyMap<string, number> = toCodes([
  '@£$¥èéùìòÇ\nØø\rÅå',
  'Δ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ',
  ' !"#¤%&\'()*+,-./',
  '0123456789:;<=>?',
  '¡ABCDEFGHIJKLMNO',
  'PQRSTUVWXYZÄÖÑÜ§',
  '¿abcdefghijklmno',
  'pqrstuvwxyzäöñüà',
])

export const GSM_ESCAPE = 0x1b

/** Extension characters take the escape and a code: two septets. */
export const GSM_EXTENSION: ReadonlyMap<string, number> = new Map([
  ['\f', 0x0a],
  ['^', 0x14],
  ['{', 0x28],
  ['}', 0x29],
  ['\\', 0x2f],
  ['[', 0x3c],
  ['~', 0x3d],
  [']', 0x3e],
  ['|', 0x40],
  ['€', 0x65],
])

/** Capacity in septets or UTF-16 units: of a single part, and of each part of a longer text. */
export type Room = Readonly<{ single: number; part: number }>

/**
 * The concatenation header takes six octets with an 8-bit reference. A 16-bit reference takes seven and leaves 152 and
 * 66, so a carrier that uses it sends more parts than are counted here.
 */
export const ROOM: Readonly<Record<Encoding, Room>> = {
  gsm7: { single: 160, part: 153 },
  ucs2: { single: 70, part: 67 },
}

export function toSegmentation(text: string): Segmentation {
  const septets = countSeptets(text)
  return septets === undefined ? fill('ucs2', text, text.length) : fill('gsm7', text, septets)
}

/** The same split as text, with the size of each part. */
export function toTextParts(text: string): readonly TextPart[] {
  const { encoding, segments } = toSegmentation(text)
  const { single, part } = ROOM[encoding]
  const room = segments === 1 ? single : part
  const parts: TextPart[] = []
  let last: TextPart = { text: '', units: 0 }
  for (const character of text) {
    const width = widthOf(encoding, character)
    if (last.units + width > room) {
      parts.push(last)
      last = { text: '', units: 0 }
    }
    last = { text: last.text + character, units: last.units + width }
  }
  return [...parts, last]
}

/** The distinct characters that are not in GSM-7, in order of appearance. */
export const nonGsmCharacters = (text: string): readonly string[] => [
  ...new Set([...text].filter((character) => !GSM_BASIC.has(character) && !GSM_EXTENSION.has(character))),
]

/** The septets of each character by its UTF-16 code; 0 outside of GSM 03.38. An index is cheaper than a Map. */
const SEPTETS: Uint8Array = toSeptets()

/** Undefined when a character is not in GSM 03.38. */
function countSeptets(text: string): number | undefined {
  let septets = 0
  for (let at = 0; at < text.length; at += 1) {
    const width = SEPTETS[text.charCodeAt(at)] ?? 0
    if (width === 0) return undefined
    septets += width
  }
  return septets
}

const widthOf = (encoding: Encoding, character: string): number =>
  encoding === 'ucs2' ? character.length : (SEPTETS[character.charCodeAt(0)] ?? 0)

function fill(encoding: Encoding, text: string, units: number): Segmentation {
  const { single, part } = ROOM[encoding]
  if (units <= single) return { encoding, units, segments: 1 }

  let segments = 1
  let used = 0
  for (const character of text) {
    const width = widthOf(encoding, character)
    if (used + width > part) {
      segments += 1
      used = 0
    }
    used += width
  }
  return { encoding, units, segments }
}

function toSeptets(): Uint8Array {
  const widths = [...GSM_BASIC.keys()].map((character) => [character.charCodeAt(0), 1] as const)
  const extended = [...GSM_EXTENSION.keys()].map((character) => [character.charCodeAt(0), 2] as const)
  const septets = new Uint8Array(1 + Math.max(...[...widths, ...extended].map(([code]) => code)))
  for (const [code, width] of [...widths, ...extended]) septets[code] = width
  return septets
}

function toCodes(lines: readonly string[]): ReadonlyMap<string, number> {
  const codes = new Map(Array.from(lines.join(''), (character, code) => [character, code]))
  codes.delete('\u001b')
  return codes
}
