/** Number formats. */

const COUNT = new Intl.NumberFormat(undefined)
const SHORT = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })
const SHARE = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 })
const RATE = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 2 })

/** `12,345` */
export const toCount = (count: number): string => COUNT.format(count)

/** `12.3K`, for narrow places */
export const toShortCount = (count: number): string => SHORT.format(count)

/** `98.2%`; rounds to 100 % only if it is exactly that. */
export const toShare = (share: number): string => SHARE.format(share < 1 && share > 0.999 ? 0.999 : share)

/** `0.14`, `12`, `1,200` */
export const toRate = (perSecond: number): string => RATE.format(perSecond)

export const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)

/** `512 B`, `14.2 KiB`, `1.3 MiB` */
export function toSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  const kib = bytes / 1024
  return kib < 1024 ? `${kib.toFixed(1)} KiB` : `${(kib / 1024).toFixed(1)} MiB`
}
