/** The kinds of message, as tabs over the form that they change. The arrow keys choose. */
import '../../styles/tabs.css'
import { type KeyboardEvent, useRef } from 'react'

type KindTabsProps<Kind extends string> = Readonly<{
  label: string
  of: readonly Kind[]
  value: Kind
  nameOf: (kind: Kind) => string
  onChange: (kind: Kind) => void
}>

export function KindTabs<Kind extends string>({ label, of: kinds, value, nameOf, onChange }: KindTabsProps<Kind>) {
  const list = useRef<HTMLDivElement>(null)
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = kinds.indexOf(value)
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: kinds.length - 1 }[event.key]
    if (next === undefined) return
    event.preventDefault()
    const index = (next + kinds.length) % kinds.length
    const kind = kinds[index]
    if (kind !== undefined) onChange(kind)
    list.current?.querySelectorAll('button')[index]?.focus()
  }
  return (
    <div ref={list} className="tab-list" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
      {kinds.map((kind) => (
        <button
          key={kind}
          type="button"
          role="tab"
          aria-selected={kind === value}
          tabIndex={kind === value ? 0 : -1}
          onClick={() => onChange(kind)}
        >
          {nameOf(kind)}
        </button>
      ))}
    </div>
  )
}
