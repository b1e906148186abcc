/**
 * How a text travels as SMS: GSM 03.38 where it can, UCS-2 otherwise, in one part or several.
 *
 * A long text loses room in each part to the header that joins the parts. An extension character
 * (two septets) and a surrogate pair (two units) are never split over two parts, so the count is
 * found by filling parts, not by division.
 */
export type Encoding = 'gsm7' | 'ucs2'
export type Segmentation = Readonly<{ encoding: Encoding; units: number; segments: number }>

const BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
const EXTENSION = new Set('\f^{}\\[~]|€')

const ROOM = { gsm7: { single: 160, part: 153 }, ucs2: { single: 70, part: 67 } } as const

export function toSegmentation(text: string): Segmentation {
  const widths = gsmWidths(text)
  return widths ? fill('gsm7', widths) : fill('ucs2', ucs2Widths(text))
}

/** The characters that keep a text out of GSM-7, each once, in order of appearance. */
export const nonGsmCharacters = (text: string): readonly string[] => [
  ...new Set([...text].filter((character) => !BASIC.has(character) && !EXTENSION.has(character))),
]

function gsmWidths(text: string): number[] | undefined {
  const widths: number[] = []
  for (const character of text) {
    if (BASIC.has(character)) widths.push(1)
    else if (EXTENSION.has(character)) widths.push(2)
    else return undefined
  }
  return widths
}

const ucs2Widths = (text: string): number[] => Array.from(text, (character) => character.length)

function fill(encoding: Encoding, widths: readonly number[]): Segmentation {
  const { single, part } = ROOM[encoding]
  const units = widths.reduce((sum, width) => sum + width, 0)
  if (units <= single) return { encoding, units, segments: 1 }

  let segments = 1
  let used = 0
  for (const width of widths) {
    if (used + width > part) {
      segments += 1
      used = 0
    }
    used += width
  }
  return { encoding, units, segments }
}
