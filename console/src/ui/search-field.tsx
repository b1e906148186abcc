/** Searching as one types; `/` goes there from anywhere on the page. What is searched for stands in the address. */
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { TEXTS } from '../texts.ts'
import { useDebounced } from './debounced.ts'
import { useKeys } from './keys.ts'
import { Field } from './parts.tsx'

type SearchProps = Readonly<{
  label?: string
  value: string | undefined
  placeholder?: string
  onChange: (text: string) => void
}>

export function SearchField({ label = TEXTS.common.search, value = '', placeholder, onChange }: SearchProps) {
  const [text, setText] = useState(value)
  const input = useRef<HTMLInputElement>(null)
  const told = useRef(value)
  const settled = useDebounced(text)
  useEffect(() => {
    if (settled === told.current) return
    told.current = settled
    onChange(settled)
  }, [settled, onChange])
  // A link, or the way back, may have changed the address.
  if (value !== told.current && settled === text) {
    told.current = value
    setText(value)
  }
  useKeys({ '/': () => input.current?.focus() })
  /** Without this the browser would also clear it. */
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
