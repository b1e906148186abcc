const HIDDEN = '***'

/** A URL whose query is hidden: queries often contain a token. */
export function withoutQuery(url: string): string {
  const [before = '', query] = url.split('?', 2)
  return query === undefined ? before : `${before}?${HIDDEN}`
}
