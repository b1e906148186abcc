/** Decodes the octets of a short message by its `data_coding`. */
import { GSM_BASIC, GSM_ESCAPE, GSM_EXTENSION } from '../../domain/message/segments.ts'

export type Alphabet = 'gsm7' | 'latin1' | 'ucs2'

/** `isFlash`: class 0, shown at once and not stored. */
export type Coding = Readonly<{ alphabet: Alphabet; isFlash: boolean }>

const DEFAULT = 0x00
const ASCII = 0x01
const LATIN1 = 0x03
const UCS2 = 0x08

/** Undefined for binary messages and alphabets that we do not know. */
export function codingOf(dataCoding: number): Coding | undefined {
  switch (dataCoding) {
    case DEFAULT:
      return { alphabet: 'gsm7', isFlash: false }
    case ASCII:
    case LATIN1:
      return { alphabet: 'latin1', isFlash: false }
    case UCS2:
      return { alphabet: 'ucs2', isFlash: false }
    default:
      return ofGroup(dataCoding)
  }
}

/**
 * The coding groups of GSM 03.38: 0x1x is text with a class, 0xFx is the same without UCS-2. Bit 2 of the latter means
 * binary; bits 3 and 2 of the former are the alphabet.
 */
function ofGroup(dataCoding: number): Coding | undefined {
  const isFlash = (dataCoding & 0x03) === 0
  if ((dataCoding & 0xf0) === 0xf0) {
    return (dataCoding & 0x04) === 0 ? { alphabet: 'gsm7', isFlash } : undefined
  }
  if ((dataCoding & 0xf0) !== 0x10) return undefined
  const alphabet = dataCoding & 0x0c
  if (alphabet === 0x00) return { alphabet: 'gsm7', isFlash }
  return alphabet === 0x08 ? { alphabet: 'ucs2', isFlash } : undefined
}

/** Undefined for octets that are no text in this alphabet. */
export function toText(octets: Uint8Array, alphabet: Alphabet): string | undefined {
  const buffer = Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength)
  switch (alphabet) {
    case 'gsm7':
      return fromGsm(buffer)
    case 'latin1':
      return buffer.toString('latin1')
    case 'ucs2':
      return buffer.length % 2 === 0 ? Buffer.from(buffer).swap16().toString('utf16le') : undefined
  }
}

const invert = (codes: ReadonlyMap<string, number>): readonly (string | undefined)[] => {
  const characters = new Array<string | undefined>(0x80).fill(undefined)
  for (const [character, code] of codes) characters[code] = character
  return characters
}
const BASIC = invert(GSM_BASIC)
const EXTENSION = invert(GSM_EXTENSION)

/** One septet per octet. A phone shows an unknown extension as the character of the basic alphabet, and a last escape as a space. */
function fromGsm(octets: Buffer): string | undefined {
  let text = ''
  for (let at = 0; at < octets.length; at += 1) {
    const code = octets[at] ?? 0
    if (code > 0x7f) return undefined
    if (code !== GSM_ESCAPE) text += BASIC[code] ?? ' '
    else {
      at += 1
      const next = octets[at] ?? 0x20
      if (next > 0x7f) return undefined
      text += EXTENSION[next] ?? BASIC[next] ?? ' '
    }
  }
  return text
}
