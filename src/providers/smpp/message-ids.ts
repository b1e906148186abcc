/**
 * The name of a part that an SMSC took, such that its answer to a submit and its receipts agree on it. Some
 * write the same number in another base, with zeros before it or in capitals.
 */

/** Where an id stands: in the answer to a submit, or in a receipt. */
export type IdPlace = 'answer' | 'receipt'

/** How an SMSC writes ids: the same in both places, or in one base in answers and in another in receipts. */
export const ID_RULES = ['same', 'hex_then_decimal', 'decimal_then_hex'] as const
export type IdRule = (typeof ID_RULES)[number]

/** No longer than SMPP lets an id be: numbers of any length would take long to convert. */
const HEX = /^(?:0x)?([\da-f]{1,64})$/
const DECIMAL = /^\d{1,64}$/

/** Where one place is hexadecimal, numbers become decimal; what is no number there only loses zeros and capitals. */
export function canonicalId(id: string, where: IdPlace, rule: IdRule): string {
  const small = id.trim().toLowerCase()
  const digits = isHex(where, rule) ? HEX.exec(small)?.[1] : undefined
  return digits === undefined ? withoutZeros(small) : BigInt(`0x${digits}`).toString()
}

const isHex = (where: IdPlace, rule: IdRule): boolean =>
  rule === (where === 'answer' ? 'hex_then_decimal' : 'decimal_then_hex')

const withoutZeros = (id: string): string => id.replace(/^0+(?=\S)/, '')

/**
 * Under which names a receipt is looked for that has an id in the optional field and perhaps another in its text. Some
 * SMSCs write the former as in their answers and the latter otherwise: where both are the same number by the rule,
 * that is the name. Where they are the same number in two bases that the rule does not tell of, only the optional
 * field counts: the digits of the other may be the id of another message. Where they disagree either may be wrong,
 * and both are tried, the optional field first.
 */
export function receiptNames([first, second]: readonly [string, string?], rule: IdRule): readonly string[] {
  const name = canonicalId(first, 'receipt', rule)
  if (second === undefined) return [name]
  const other = canonicalId(second, 'receipt', rule)
  if (name === other || name === canonicalId(second, 'answer', rule)) return [name]
  if (other === canonicalId(first, 'answer', rule)) return [other]
  return isSameNumber(first, second) || isSameNumber(second, first) ? [name] : [name, other]
}

function isSameNumber(hex: string, decimal: string): boolean {
  const digits = HEX.exec(hex.trim().toLowerCase())?.[1]
  const number = DECIMAL.exec(decimal.trim())?.[0]
  return digits !== undefined && number !== undefined && BigInt(`0x${digits}`) === BigInt(number)
}
