/** What changed between two snapshots of a resource, field by field. */
export type Snapshot = Readonly<Record<string, unknown>>

/** `undefined` stands for a value that is missing or null. Fields of nested objects are named like `quotas.routes`. */
export type Change = Readonly<{ field: string; before: string | undefined; after: string | undefined }>

/** All fields, in the order of the snapshots. */
export function fieldsOf(before: Snapshot | null, after: Snapshot | null): readonly Change[] {
  const [old, fresh] = [flatten(before), flatten(after)]
  return [...new Set([...old.keys(), ...fresh.keys()])].map((field) => ({
    field,
    before: old.get(field),
    after: fresh.get(field),
  }))
}

export const isChanged = ({ before, after }: Change): boolean => before !== after

function flatten(snapshot: Snapshot | null): ReadonlyMap<string, string | undefined> {
  const found = new Map<string, string | undefined>()
  const add = (field: string, value: unknown): void => {
    const inner = partsOf(value)
    if (inner === undefined) found.set(field, toText(value))
    else for (const [name, part] of inner) add(Array.isArray(value) ? `${field}[${name}]` : `${field}.${name}`, part)
  }
  for (const [field, value] of Object.entries(snapshot ?? {})) add(field, value)
  return found
}

/** Of objects and of lists of objects; undefined for what is shown as one value. */
function partsOf(value: unknown): readonly (readonly [name: string, part: unknown])[] | undefined {
  if (!isObject(value)) return undefined
  const parts = Object.entries(value)
  const isOne = parts.length === 0 || (Array.isArray(value) && !value.some(isObject))
  return isOne ? undefined : parts
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

function toText(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'string') return value
  return Array.isArray(value) && value.length > 0 ? value.map(String).join(', ') : JSON.stringify(value)
}
