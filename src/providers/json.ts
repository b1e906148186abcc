/** Reads the JSON of a provider: the value when it is as expected, undefined when it is anything else. */
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

export function parser<Schema extends TSchema>(schema: Schema): (json: unknown) => Static<Schema> | undefined {
  const compiled = Compile(schema)
  return (json) => (compiled.Check(json) ? (json as Static<Schema>) : undefined)
}
