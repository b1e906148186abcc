/** The defined fields of an object: with `exactOptionalPropertyTypes` a field is either present or missing. */
export type OmitUndefined<Fields> = {
  readonly [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name]
} & {
  readonly [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined>
}

export function omitUndefined<Fields extends object>(fields: Fields): OmitUndefined<Fields> {
  const defined: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) defined[name] = value
  return defined as OmitUndefined<Fields>
}
