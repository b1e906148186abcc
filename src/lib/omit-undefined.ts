/** The defined fields of an object: with `exactOptionalPropertyTypes` a field is either present or missing. */
export type OmitUndefined<Fields> = {
  readonly [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name]
} & {
  readonly [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined>
}

/** Returns the object itself if all its fields are defined. */
export function omitUndefined<Fields extends object>(fields: Fields): OmitUndefined<Fields> {
  for (const name in fields) if (fields[name] === undefined) return definedOf(fields)
  return fields as OmitUndefined<Fields>
}

function definedOf<Fields extends object>(fields: Fields): OmitUndefined<Fields> {
  const defined: Record<string, unknown> = {}
  for (const name in fields) if (fields[name] !== undefined) defined[name] = fields[name]
  return defined as OmitUndefined<Fields>
}
