/** UUIDs as four 32-bit words, without garbage. */

/** The value of a lowercase hexadecimal digit by its character code; -1 for all others. */
const VALUES = new Int8Array(128).fill(-1)
const DIGITS = Buffer.from('0123456789abcdef', 'latin1')
for (const [value, code] of DIGITS.entries()) VALUES[code] = value

const LENGTH = 36
const DASH = 45

/** Writes the words, and returns whether the text is a UUID in lowercase: only those are the same after `toUuid`. */
export function parseUuid(text: string, words: Int32Array): boolean {
  if (text.length !== LENGTH || !isDash(text, 8) || !isDash(text, 13)) return false
  if (!isDash(text, 18) || !isDash(text, 23)) return false
  return (
    write(words, 0, group(text, 0), group(text, 4)) &&
    write(words, 1, group(text, 9), group(text, 14)) &&
    write(words, 2, group(text, 19), group(text, 24)) &&
    write(words, 3, group(text, 28), group(text, 32))
  )
}

/** Writes a word from its two halves, and returns whether both are valid. */
function write(words: Int32Array, index: number, high: number, low: number): boolean {
  words[index] = (high << 16) | low
  return (high | low) >= 0
}

const isDash = (text: string, at: number): boolean => text.charCodeAt(at) === DASH

/** Four digits as a number; negative if one is invalid. */
function group(text: string, at: number): number {
  const high = (digit(text, at) << 12) | (digit(text, at + 1) << 8)
  return high | (digit(text, at + 2) << 4) | digit(text, at + 3)
}

const digit = (text: string, at: number): number => VALUES[text.charCodeAt(at)] ?? -1

const written = Buffer.alloc(LENGTH, DASH)

export function toUuid(first: number, second: number, third: number, fourth: number): string {
  print(0, first >>> 16)
  print(4, first)
  print(9, second >>> 16)
  print(14, second)
  print(19, third >>> 16)
  print(24, third)
  print(28, fourth >>> 16)
  print(32, fourth)
  return written.toString('latin1', 0, LENGTH)
}

/** Writes the lower 16 bits as four digits. */
function print(at: number, bits: number): void {
  written[at] = DIGITS[(bits >>> 12) & 15] as number
  written[at + 1] = DIGITS[(bits >>> 8) & 15] as number
  written[at + 2] = DIGITS[(bits >>> 4) & 15] as number
  written[at + 3] = DIGITS[bits & 15] as number
}
