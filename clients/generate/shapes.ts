/** A schema as both languages render it: what a value looks like, without the rules that only the gateway checks. */
import { type JsonSchema, nameOf } from './document.ts'

export type Shape =
  | Readonly<{ kind: 'string' | 'integer' | 'number' | 'boolean' | 'null' | 'unknown' }>
  | Readonly<{ kind: 'reference'; name: string }>
  | Readonly<{ kind: 'literals'; values: readonly (string | number | boolean)[] }>
  | Readonly<{ kind: 'list'; of: Shape }>
  | Readonly<{ kind: 'record'; of: Shape }>
  | Readonly<{ kind: 'union'; of: readonly Shape[] }>
  | ObjectShape

export type ObjectShape = Readonly<{ kind: 'object'; fields: readonly Field[]; isOpen: boolean }>

export type Field = Readonly<{ name: string; shape: Shape; isRequired: boolean; description: string | undefined }>

/** A type with a name: a component of the document, or what an event carries. */
export type NamedShape = Readonly<{ name: string; shape: Shape; description: string | undefined }>

const PRIMITIVES = ['string', 'integer', 'number', 'boolean', 'null'] as const
type Primitive = (typeof PRIMITIVES)[number]
const isPrimitive = (type: string | undefined): type is Primitive => PRIMITIVES.some((one) => one === type)

/** `where` names the schema if it cannot be rendered. */
export function toShape(schema: JsonSchema, where: string): Shape {
  const { $ref, type, anyOf, items } = schema
  if ($ref !== undefined) return { kind: 'reference', name: nameOf($ref) }
  if (anyOf !== undefined) return { kind: 'union', of: anyOf.map((one) => toShape(one, where)) }
  if (schema.const !== undefined) return { kind: 'literals', values: [schema.const] }
  if (schema.enum !== undefined) return { kind: 'literals', values: schema.enum }
  if (type === 'array' && items !== undefined) return { kind: 'list', of: toShape(items, where) }
  if (type === 'object') return toObject(schema, where)
  if (isPrimitive(type)) return { kind: type }
  if (type === undefined) return { kind: 'unknown' }
  throw new Error(`${where} has a schema of the type ${type}, which the clients cannot express`)
}

function toObject(schema: JsonSchema, where: string): Shape {
  const { properties, required = [], additionalProperties } = schema
  const isOpen = additionalProperties !== undefined && additionalProperties !== false
  if (properties !== undefined) return { kind: 'object', fields: toFields(properties, required, where), isOpen }
  const of = typeof additionalProperties === 'object' ? toShape(additionalProperties, where) : UNKNOWN
  return { kind: 'record', of }
}

const UNKNOWN: Shape = { kind: 'unknown' }

const toFields = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
  where: string,
): readonly Field[] =>
  Object.entries(properties).map(([name, schema]) => ({
    name,
    shape: toShape(schema, `${where}.${name}`),
    isRequired: required.includes(name),
    description: describe(schema),
  }))

/** The description of a schema, or of the value that may be null in it. */
const describe = ({ description, anyOf }: JsonSchema): string | undefined =>
  description ?? anyOf?.find((one) => one.description !== undefined)?.description
