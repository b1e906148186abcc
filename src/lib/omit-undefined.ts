/** The defined fields of an object: with `exactOptionalPropertyTypes` a field is either present or missing. */
export type OmitUndefined<Fields> = {
  readonly [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name]
} & {
  readonly [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined>
}

export function omitUndefined<Fields extends object>(fields: Fields): OmitUndefined<Fields> {
  const defined: Record<string, unknown> = {}
  // Not by Object.entries, which costs three times as much on paths that every message takes.
  for (const name of Object.keys(fields)) {
    const value = fields[name as keyof Fields]
    if (value !== undefined) defined[name] = value
  }
  return defined as OmitUndefined<Fields>
}
