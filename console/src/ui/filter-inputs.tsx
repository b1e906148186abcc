/** Inputs of filters. They keep what is being typed until it is complete. */
import { type InputHTMLAttributes, useEffect, useRef, useState } from 'react'
import { fromLocalTime, toLocalTime } from './time.tsx'

type TextProps = Pick<InputHTMLAttributes<HTMLInputElement>, 'placeholder'> &
  Readonly<{ value: string | undefined; onCommit: (value: string) => void }>

/** Commits on Enter and on blur: an incomplete value matches nothing. */
export function TextInput({ value = '', onCommit, ...rest }: TextProps) {
  const [draft, setDraft] = useDraft(value)
  const commit = (): void => {
    if (draft.trim() !== value) onCommit(draft.trim())
  }
  return (
    <input
      {...rest}
      type="search"
      value={draft}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => setDraft(event.target.value)}
      onBlur={commit}
      onKeyDown={(event) => event.key === 'Enter' && commit()}
    />
  )
}

const TYPING_MS = 700

/** `value` is in ISO format. */
type TimeProps = Readonly<{ value: string | undefined; onCommit: (value: string | undefined) => void }>

/** Commits after a pause: date pickers do not blur when a date is picked, and a typed year passes through four values. */
export function TimeInput({ value, onCommit }: TimeProps) {
  const local = toLocalTime(value)
  const [draft, setDraft] = useDraft(local)
  const commit = useRef(onCommit)
  commit.current = onCommit
  useEffect(() => {
    if (draft === local) return
    const timer = setTimeout(() => commit.current(fromLocalTime(draft)), TYPING_MS)
    return () => clearTimeout(timer)
  }, [draft, local])
  return <input type="datetime-local" value={draft} onChange={(event) => setDraft(event.target.value)} />
}

/** The value being typed. Resets when the value changes from outside. */
export function useDraft(value: string): readonly [string, (draft: string) => void] {
  const [draft, setDraft] = useState(value)
  const [lastValue, setLastValue] = useState(value)
  if (lastValue !== value) {
    setLastValue(value)
    setDraft(value)
  }
  return [draft, setDraft]
}
