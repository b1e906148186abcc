/**
 * How a text travels as SMS, as the gateway counts it: GSM 03.38 where it can, UCS-2 otherwise, in one part or
 * several. A character of two units is never split over two parts, so parts are filled, not divided.
 */
const BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
const EXTENSION = new Set('\f^{}\\[~]|€')
const ROOM = { gsm7: { single: 160, part: 153 }, ucs2: { single: 70, part: 67 } } as const

/** How many units fit in each of so many parts. */
export const roomOf = (encoding: Segments['encoding'], parts: number): number =>
  parts > 1 ? ROOM[encoding].part : ROOM[encoding].single

type Part = Readonly<{ text: string; units: number }>

export type Segments = Readonly<{
  encoding: 'gsm7' | 'ucs2'
  parts: readonly Part[]
  /** How many units fit in each of the parts there are. */
  room: number
}>

/** Whether a text with this character has to be sent in UCS-2. */
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
