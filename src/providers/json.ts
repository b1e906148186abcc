/** Reads the JSON of a provider. */
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

/** The body parsed as JSON; undefined if it is not JSON. */
export function jsonOf({ body }: Readonly<{ body: Uint8Array }>): unknown {
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString())
  } catch {
    return undefined
  }
}

/** Returns the value if it matches the schema, otherwise undefined. */
export function parser<Schema extends TSchema>(schema: Schema): (json: unknown) => Static<Schema> | undefined {
  const compiled = Compile(schema)
  return (json) => (compiled.Check(json) ? (json as Static<Schema>) : undefined)
}
