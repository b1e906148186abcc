/**
 * Normalises message ids, so that the answer to a submit and its receipts have the same id. Some SMSCs write the number
 * in another base, with leading zeros or in capitals.
 */

/** Where the id was: in the answer to a submit, or in a receipt. */
export type IdSource = 'answer' | 'receipt'

/** Whether answers and receipts write ids the same way, or in different bases. */
export const ID_RULES = ['same', 'hex_then_decimal', 'decimal_then_hex'] as const
export type IdRule = (typeof ID_RULES)[number]

/** SMPP limits the length of an id, and long numbers are slow to convert. */
const HEX = /^(?:0x)?([\da-f]{1,64})$/
const DECIMAL = /^\d{1,64}$/

/** Hexadecimal numbers become decimal; other ids only lose leading zeros and capitals. */
export function canonicalId(id: string, source: IdSource, rule: IdRule): string {
  const lower = id.trim().toLowerCase()
  const digits = isHex(source, rule) ? HEX.exec(lower)?.[1] : undefined
  return digits === undefined ? withoutZeros(lower) : BigInt(`0x${digits}`).toString()
}

const isHex = (source: IdSource, rule: IdRule): boolean =>
  rule === (source === 'answer' ? 'hex_then_decimal' : 'decimal_then_hex')

const withoutZeros = (id: string): string => id.replace(/^0+(?=\S)/, '')

/**
 * The ids to look for when a receipt has an id in the optional field and maybe another in its text. Some SMSCs write the
 * first as in their answers and the second differently: if both are the same number by the rule, that is the id. If they
 * are the same number in two bases that the rule does not cover, only the optional field counts, because the digits of
 * the other may be the id of another message. If they differ, either may be wrong, and both are tried, the optional
 * field first.
 */
export function receiptIds([first, second]: readonly [string, string?], rule: IdRule): readonly string[] {
  const id = canonicalId(first, 'receipt', rule)
  if (second === undefined) return [id]
  const other = canonicalId(second, 'receipt', rule)
  if (id === other || id === canonicalId(second, 'answer', rule)) return [id]
  if (other === canonicalId(first, 'answer', rule)) return [other]
  return isSameNumber(first, second) || isSameNumber(second, first) ? [id] : [id, other]
}

function isSameNumber(hex: string, decimal: string): boolean {
  const digits = HEX.exec(hex.trim().toLowerCase())?.[1]
  const number = DECIMAL.exec(decimal.trim())?.[0]
  return digits !== undefined && number !== undefined && BigInt(`0x${digits}`) === BigInt(number)
}
