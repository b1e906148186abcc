/** What the palette can find, and how a text finds it. */
import type { ReactNode } from 'react'

export type Entry = Readonly<{
  id: string
  name: string
  icon: ReactNode
  /** Shown after the name. */
  about?: ReactNode
  /** Other words by which it is found. */
  words?: string
  run: () => void
}>

export type Group = Readonly<{ id: string; name: string; note?: string | undefined; entries: readonly Entry[] }>

const wordsOf = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/[\s·/_.-]+/u)
    .filter(Boolean)

type Named = Pick<Entry, 'name' | 'words'>

/** Whether every word of the text begins a word of the entry. */
export function isFoundBy(text: string, { name, words = '' }: Named): boolean {
  const offered = wordsOf(`${name} ${words}`)
  return wordsOf(text).every((typed) => offered.some((word) => word.startsWith(typed)))
}

/** The entries that a text finds: first those whose name begins with it, then by name, then by other words. */
export function find<One extends Named>(text: string, entries: readonly One[]): readonly One[] {
  const rank = ({ name }: Named): number => {
    if (name.toLowerCase().startsWith(text.trim().toLowerCase())) return 0
    return isFoundBy(text, { name }) ? 1 : 2
  }
  return entries
    .filter((entry) => isFoundBy(text, entry))
    .map((entry) => [rank(entry), entry] as const)
    .sort(([one], [other]) => one - other)
    .map(([, entry]) => entry)
}
