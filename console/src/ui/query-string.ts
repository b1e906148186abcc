/** Page state in the URL, so that links can be shared. */
import { useSearchParams } from 'wouter'

/**
 * `push` adds a history entry for a choice the user made. `replace` does not: for typing, and for choices the page
 * made.
 */
export type Step = 'push' | 'replace'

type Values<Name extends string> = Partial<Record<Name, string>>
type Changes<Name extends string> = Partial<Record<Name, string | undefined>>

/** Changes some parameters; empty values are removed from the URL. */
export type ChangeParams<Name extends string> = (changes: Changes<Name>, step?: Step) => void

/** The values of these parameters, and a function to change them. */
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
