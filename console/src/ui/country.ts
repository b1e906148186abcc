/** The name of a country, such as `Brazil` for `BR`. */
const NAMES = new Intl.DisplayNames(undefined, { type: 'region', fallback: 'code' })

export const toCountryName = (code: string): string => NAMES.of(code) ?? code
