/** A search field, debounced. `/` focuses it from anywhere on the page. */
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { COMMON_TEXTS } from '../texts/common.ts'
import { useDebounced } from './debounced.ts'
import { useKeys } from './keys.ts'
import { Field } from './parts.tsx'

type SearchProps = Readonly<{
  label?: string
  value: string | undefined
  placeholder?: string
  onChange: (text: string) => void
}>

export function SearchField({ label = COMMON_TEXTS.search, value = '', placeholder, onChange }: SearchProps) {
  const [text, setText] = useState(value)
  const input = useRef<HTMLInputElement>(null)
  const lastSent = useRef(value)
  const debounced = useDebounced(text)
  useEffect(() => {
    if (debounced === lastSent.current) return
    lastSent.current = debounced
    onChange(debounced)
  }, [debounced, onChange])
  // A link or the back button may have changed the URL.
  if (value !== lastSent.current && debounced === text) {
    lastSent.current = value
    setText(value)
  }
  useKeys({ '/': () => input.current?.focus() })
  /** Keeps the browser from clearing the field. */
  const leave = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    input.current?.blur()
  }
  return (
    <Field label={label} className="search-field">
      <input
        ref={input}
        type="search"
        value={text}
        placeholder={placeholder}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={leave}
      />
    </Field>
  )
}
