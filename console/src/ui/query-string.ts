/** What a page shows stands in its address, so that a link shows somebody else the same. */
import { useSearchParams } from 'wouter'

/**
 * A choice is a step that the way back undoes: `push`. What one types is no step with every letter, and neither is
 * what a page chooses by itself: `replace`.
 */
export type Step = 'push' | 'replace'

type Values<Name extends string> = Partial<Record<Name, string>>
type Changes<Name extends string> = Partial<Record<Name, string | undefined>>

/** Changes some of them; an empty one is taken out of the address. */
export type ChangeParams<Name extends string> = (changes: Changes<Name>, step?: Step) => void

/** The parameters of these names, and how to change them. */
export function useParams<Name extends string>(names: readonly Name[]): readonly [Values<Name>, ChangeParams<Name>] {
  const [search, setSearch] = useSearchParams()
  const values = Object.fromEntries(
    names.flatMap((name) => {
      const value = search.get(name)
      return value ? [[name, value]] : []
    }),
  ) as Values<Name>
  const change: ChangeParams<Name> = (changes, step = 'push') => {
    const changed = Object.entries<string | undefined>(changes)
    if (changed.every(([name, value]) => (search.get(name) ?? '') === (value ?? ''))) return
    setSearch((before) => withChanged(before, changed), { replace: step === 'replace' })
  }
  return [values, change]
}

function withChanged(
  before: URLSearchParams,
  changed: readonly (readonly [name: string, value: string | undefined])[],
): URLSearchParams {
  const next = new URLSearchParams(before)
  for (const [name, value] of changed) {
    if (value) next.set(name, value)
    else next.delete(name)
  }
  return next
}
