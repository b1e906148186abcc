/**
 * A draft, kept in memory so that it survives a visit to another page. The browser asks before closing a tab with
 * changes.
 */
import { useEffect, useState } from 'react'
import type { Draft } from './template.ts'

const drafts = new Map<string, Draft>()

export type DraftState = Readonly<{
  draft: Draft
  isChanged: boolean
  change: (changes: Partial<Draft>) => void
  discard: () => void
  /** Drops the stored draft after saving. */
  forget: () => void
}>

const isSame = (one: Draft, other: Draft): boolean =>
  (Object.keys(one) as (keyof Draft)[]).every((field) => one[field] === other[field])

export function useDraft(key: string, base: Draft): DraftState {
  const [draft, setDraft] = useState(() => drafts.get(key) ?? base)
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
      drafts.set(key, next)
      setDraft(next)
    },
    discard: () => {
      drafts.delete(key)
      setDraft(base)
    },
    forget: () => drafts.delete(key),
  }
}
