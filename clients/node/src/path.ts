/** Paths and queries of calls. */

/** A path whose values are encoded. A value that is empty or a dot would name another resource, so it is refused. */
export function path(literals: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return literals.reduce((text, literal, n) => `${text}${toSegment(values[n - 1] ?? '')}${literal}`)
}

function toSegment(value: string | number): string {
  const text = String(value)
  if (text === '' || text === '.' || text === '..') throw new TypeError(`"${text}" is not an id`)
  return encodeURIComponent(text)
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>

/** Empty, or the query with its question mark. */
export function toQuery(query: object = {}): string {
  const fields = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) fields.set(name, String(value))
  const text = fields.toString()
  return text === '' ? '' : `?${text}`
}
