/** Reads JSON of a gateway that may have another version: missing or unexpected values read as undefined. */
export type Json = Readonly<Record<string, unknown>>

export const toJson = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}

export const textIn = (json: Json, key: string): string | undefined => {
  const value = json[key]
  return typeof value === 'string' ? value : undefined
}

export const numberIn = (json: Json, key: string): number | undefined => {
  const value = json[key]
  return typeof value === 'number' ? value : undefined
}

export const listIn = (json: Json, key: string): readonly Json[] => {
  const value = json[key]
  return Array.isArray(value) ? value.map(toJson) : []
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
