/** Fields without those that are undefined, in the same order: a field is there or it is not. */

export type Gapless<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }

export const omitUndefined = <Fields extends object>(fields: Fields): Gapless<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Gapless<Fields>
