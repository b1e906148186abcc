/**
 * The shape of one-time codes: how long they are, and of which characters. Letters are compared without case, and a code
 * has no vowels, so it spells no words, and no characters that look like others: no 0, 1 or L.
 */

export const CODE_ALPHABETS = ['numeric', 'alphanumeric'] as const
export type CodeAlphabet = (typeof CODE_ALPHABETS)[number]
export const CODE_LENGTH = { minimum: 4, maximum: 10, default: 6 } as const

export type CodeShape = Readonly<{ length: number; alphabet: CodeAlphabet }>

/** What codes are unless something else is asked for. */
export const SIX_DIGITS: CodeShape = { length: CODE_LENGTH.default, alphabet: 'numeric' }

export const CODE_CHARACTERS: Readonly<Record<CodeAlphabet, string>> = {
  numeric: '0123456789',
  alphanumeric: '23456789BCDFGHJKMNPQRSTVWXYZ',
}

/** Undefined for six digits, so that what is stored of them is the same in all releases. */
export function toCodeShape({ length, alphabet }: Partial<CodeShape>): CodeShape | undefined {
  const shape = { length: length ?? SIX_DIGITS.length, alphabet: alphabet ?? SIX_DIGITS.alphabet }
  return shape.length === SIX_DIGITS.length && shape.alphabet === SIX_DIGITS.alphabet ? undefined : shape
}

/** The most attempts at a code that is easier to guess than six digits. */
const FEW_ATTEMPTS = 5

/** How many attempts a code of this shape allows, at most; undefined where that is up to the caller. */
export function mostAttemptsOf(shape: CodeShape = SIX_DIGITS): number | undefined {
  const values = CODE_CHARACTERS[shape.alphabet].length ** shape.length
  return values < CODE_CHARACTERS.numeric.length ** SIX_DIGITS.length ? FEW_ATTEMPTS : undefined
}

const CODE = new RegExp(`^[0-9A-Za-z]{${CODE_LENGTH.minimum},${CODE_LENGTH.maximum}}$`)

/** Whether it may be a code of any shape. */
export const isCode = (text: string): boolean => CODE.test(text)

/** As codes are drawn. */
export const toCanonicalCode = (text: string): string => text.toUpperCase()

/** Whether it may be a code of this shape. Other letters and digits are typing errors that cost an attempt. */
export function hasShape(text: string, { length, alphabet }: CodeShape = SIX_DIGITS): boolean {
  return text.length === length && isCode(text) && (alphabet === 'alphanumeric' || /^\d+$/.test(text))
}

export const describeShape = ({ length, alphabet }: CodeShape = SIX_DIGITS): string =>
  alphabet === 'numeric' ? `${length} digits` : `${length} letters and digits`
