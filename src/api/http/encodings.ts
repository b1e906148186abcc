/** Compressed answers: what the caller accepts. */

export type Encoding = 'br' | 'gzip'

/** The encodings that the caller accepts, best first. */
export function acceptedEncodings(accepted: string | string[] | undefined): readonly Encoding[] {
  const names = String(accepted ?? '')
    .toLowerCase()
    .split(',')
    .filter((one) => !/;\s*q=0(\.0*)?\s*$/.test(one))
    .map((one) => one.replace(/;.*/, '').trim())
  return (['br', 'gzip'] as const).filter((one) => names.includes(one))
}
