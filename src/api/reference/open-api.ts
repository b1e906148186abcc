/** The parts of an OpenAPI document that we work on, and how to go through them. */

export type Node = Record<string, unknown>

type Body = Readonly<{ content: Readonly<Record<string, Node>> }>

export type Operation = Readonly<{
  operationId: string
  tags: readonly string[]
  parameters?: readonly Node[]
  requestBody?: Node & Body
  responses: Readonly<Record<string, Node & Partial<Body>>>
  security?: readonly unknown[]
}>

export type OpenApi = Readonly<{
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  components?: Node
}>

export const operationsOf = ({ paths }: OpenApi) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )

type Place = Readonly<{ path: string; method: string }>

export const mapOperations = (
  { paths }: OpenApi,
  change: (operation: Operation, place: Place) => Operation,
): OpenApi['paths'] =>
  mapValues(paths, (methods, path) => mapValues(methods, (operation, method) => change(operation, { path, method })))

export const mapValues = <Value, Changed>(
  values: Readonly<Record<string, Value>>,
  change: (value: Value, key: string) => Changed,
): Record<string, Changed> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value, key)]))
