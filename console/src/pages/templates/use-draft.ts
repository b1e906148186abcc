/**
 * What somebody is writing. It outlives a look at another page, so that nothing is lost by a click; it is kept in
 * memory only and ends with the tab, which asks before it closes on an editor with changes.
 */
import { useEffect, useState } from 'react'
import type { Draft } from './template.ts'

const kept = new Map<string, Draft>()

export type Writing = Readonly<{
  draft: Draft
  isChanged: boolean
  change: (changes: Partial<Draft>) => void
  discard: () => void
  /** It is saved, and need not be kept. */
  forget: () => void
}>

const isSame = (one: Draft, other: Draft): boolean =>
  (Object.keys(one) as (keyof Draft)[]).every((field) => one[field] === other[field])

export function useDraft(key: string, base: Draft): Writing {
  const [draft, setDraft] = useState(() => kept.get(key) ?? base)
  const isChanged = !isSame(draft, base)
  useEffect(() => {
    if (!isChanged) return
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isChanged])
  return {
    draft,
    isChanged,
    change: (changes) => {
      const next = { ...draft, ...changes }
      kept.set(key, next)
      setDraft(next)
    },
    discard: () => {
      kept.delete(key)
      setDraft(base)
    },
    forget: () => kept.delete(key),
  }
}
