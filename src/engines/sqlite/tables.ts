/**
 * What a table is: the methods of a port, synchronous, in the thread that has the file open. The group in which a
 * method is declared says how it runs. Names and types of calls follow from the declarations, so nothing lists them.
 */
import type { Methods } from '../../lib/rpc-channel.ts'

/**
 * Writes share a transaction and are answered once it is on disk, reads come after it, and background calls have
 * transactions of their own. What a shredding call deletes must not stay in the write-ahead log either.
 */
const GROUPS = {
  writes: { kind: 'write', isShredding: false },
  shreds: { kind: 'write', isShredding: true },
  reads: { kind: 'read', isShredding: false },
  background: { kind: 'background', isShredding: false },
  backgroundShreds: { kind: 'background', isShredding: true },
} as const

type Group = keyof typeof GROUPS
type Grouped<M> = Readonly<Partial<Record<Group, M>>>

/** A port without its promises. */
export type Sync<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Awaited<Result>
    : never
}

/** A table that implements the port, or a part of it: `satisfies` it. */
export type Table<Port> = Grouped<Partial<Sync<Port>>>

/** Tables by name. */
export type Tables = Readonly<Record<string, Grouped<Methods>>>

type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never

/** The methods of one table, whatever their group. */
type MethodsIn<Table> = Intersection<Table[keyof Table]>

/** The methods of all tables by their full names, such as `challenges.begin`. */
export type MethodsOf<T extends Tables> = {
  readonly [Name in NameIn<T>]: Name extends `${infer Table}.${infer Method}`
    ? MethodIn<MethodsIn<T[Table]>, Method>
    : never
}
type NameIn<T> = { [Table in keyof T & string]: `${Table}.${keyof MethodsIn<T[Table]> & string}` }[keyof T & string]
type MethodIn<M, Name> = Name extends keyof M ? (M[Name] extends Methods[string] ? M[Name] : never) : never

/** A method, and how it runs. */
export type Method = Readonly<{
  kind: (typeof GROUPS)[Group]['kind']
  isShredding: boolean
  run: (...args: readonly unknown[]) => unknown
}>

/** The methods of all tables by their full names. */
export function methodsOf(tables: Tables): ReadonlyMap<string, Method> {
  const methods = new Map<string, Method>()
  for (const [table, groups] of Object.entries(tables)) {
    for (const [group, grouped] of Object.entries(groups) as [Group, Methods][]) {
      for (const [name, run] of Object.entries(grouped)) {
        methods.set(`${table}.${name}`, { ...GROUPS[group], run: run as Method['run'] })
      }
    }
  }
  return methods
}

export function findMethod(methods: ReadonlyMap<string, Method>, name: string): Method {
  const method = methods.get(name)
  if (method === undefined) throw new Error(`there is no method ${name}`)
  return method
}
