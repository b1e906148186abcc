/**
 * Splits a text into SMS parts as the gateway does: GSM 03.38 if possible, otherwise UCS-2. A character of two units is
 * never split, so parts may not be completely full.
 */
const BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
const EXTENSION = new Set('\f^{}\\[~]|€')
const ROOM = { gsm7: { single: 160, part: 153 }, ucs2: { single: 70, part: 67 } } as const

/** How many units fit into each part, given the number of parts. */
export const roomOf = (encoding: Segments['encoding'], parts: number): number =>
  parts > 1 ? ROOM[encoding].part : ROOM[encoding].single

type Part = Readonly<{ text: string; units: number }>

export type Segments = Readonly<{
  encoding: 'gsm7' | 'ucs2'
  parts: readonly Part[]
  /** How many units fit into each part. */
  room: number
}>

/** Whether this character forces UCS-2. */
export const isOutsideGsm = (character: string): boolean => !BASIC.has(character) && !EXTENSION.has(character)

export function toSegments(text: string): Segments {
  const encoding = [...text].some(isOutsideGsm) ? 'ucs2' : 'gsm7'
  const width = (character: string): number =>
    encoding === 'ucs2' ? character.length : EXTENSION.has(character) ? 2 : 1
  const whole = fill(text, ROOM[encoding].single, width)
  const parts = whole.length === 1 ? whole : fill(text, ROOM[encoding].part, width)
  return { encoding, parts, room: roomOf(encoding, parts.length) }
}

function fill(text: string, room: number, width: (character: string) => number): readonly Part[] {
  const parts: Part[] = []
  let filling = { text: '', units: 0 }
  for (const character of text) {
    const units = width(character)
    if (filling.units + units > room) {
      parts.push(filling)
      filling = { text: '', units: 0 }
    }
    filling = { text: filling.text + character, units: filling.units + units }
  }
  return [...parts, filling]
}
