/** What a page shows stands in its address, so that a link shows somebody else the same. */
import { useSearchParams } from 'wouter'

/** The parameters of these names, and how to change some of them; an empty one is taken out of the address. */
export function useParams<Name extends string>(
  names: readonly Name[],
): readonly [Partial<Record<Name, string>>, (changes: Partial<Record<Name, string | undefined>>) => void] {
  const [search, setSearch] = useSearchParams()
  const values = Object.fromEntries(
    names.flatMap((name) => {
      const value = search.get(name)
      return value ? [[name, value]] : []
    }),
  ) as Partial<Record<Name, string>>
  const change = (changes: Partial<Record<Name, string | undefined>>): void =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before)
        for (const [name, value] of Object.entries<string | undefined>(changes)) {
          if (value) next.set(name, value)
          else next.delete(name)
        }
        return next
      },
      { replace: true },
    )
  return [values, change]
}
