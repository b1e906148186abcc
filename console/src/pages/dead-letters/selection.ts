/** The selected letters: some of those shown, or all that match the filters. */
import { useState } from 'react'
import type { Message } from '../../api/client.ts'

export type Selection = Readonly<{
  ids: readonly string[]
  isAllMatching: boolean
  has: (id: string) => boolean
  toggle: (id: string) => void
  toggleShown: () => void
  selectAllMatching: () => void
  clear: () => void
}>

type Chosen = Readonly<{ ids: ReadonlySet<string>; isAllMatching: boolean }>
const NONE: Chosen = { ids: new Set(), isAllMatching: false }

/** Letters that are no longer shown are no longer selected. */
export function useSelection(shown: readonly Message[]): Selection {
  const [chosen, setChosen] = useState(NONE)
  const ids = shown.map(({ id }) => id).filter((id) => chosen.isAllMatching || chosen.ids.has(id))
  const choose = (next: readonly string[]): void => setChosen({ ids: new Set(next), isAllMatching: false })
  return {
    ids,
    isAllMatching: chosen.isAllMatching,
    has: (id) => chosen.isAllMatching || chosen.ids.has(id),
    toggle: (id) => choose(ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id]),
    toggleShown: () => choose(ids.length === shown.length ? [] : shown.map(({ id }) => id)),
    selectAllMatching: () => setChosen({ ids: new Set(), isAllMatching: true }),
    clear: () => setChosen(NONE),
  }
}
