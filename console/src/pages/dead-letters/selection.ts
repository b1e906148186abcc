/** Which letters are selected: some of those that are shown, or all that match, shown or not. */
import { useState } from 'react'
import type { Message } from '../../api/client.ts'

export type Selection = Readonly<{
  ids: readonly string[]
  everything: boolean
  has: (id: string) => boolean
  toggle: (id: string) => void
  toggleShown: () => void
  takeEverything: () => void
  clear: () => void
}>

type Chosen = Readonly<{ ids: ReadonlySet<string>; everything: boolean }>
const NONE: Chosen = { ids: new Set(), everything: false }

/** What is no longer shown is no longer selected. */
export function useSelection(shown: readonly Message[]): Selection {
  const [chosen, setChosen] = useState(NONE)
  const ids = shown.map(({ id }) => id).filter((id) => chosen.everything || chosen.ids.has(id))
  const choose = (next: readonly string[]): void => setChosen({ ids: new Set(next), everything: false })
  return {
    ids,
    everything: chosen.everything,
    has: (id) => chosen.everything || chosen.ids.has(id),
    toggle: (id) => choose(ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id]),
    toggleShown: () => choose(ids.length === shown.length ? [] : shown.map(({ id }) => id)),
    takeEverything: () => setChosen({ ids: new Set(), everything: true }),
    clear: () => setChosen(NONE),
  }
}
