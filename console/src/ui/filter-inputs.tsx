/** Inputs of filters. They keep what is being typed until it is complete. */
import { type InputHTMLAttributes, useState } from 'react'

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
