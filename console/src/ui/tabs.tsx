/** Tabs with arrow key navigation. */
import '../styles/tabs.css'
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react'

export type Tab = Readonly<{ key: string; name: string; view: () => ReactNode }>

export function Tabs({ label, tabs }: Readonly<{ label: string; tabs: readonly Tab[] }>) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const [chosen, setChosen] = useState(0)
  const shown = Math.min(chosen, tabs.length - 1)

  const onKeyDown = (event: KeyboardEvent): void => {
    const next = { ArrowRight: shown + 1, ArrowLeft: shown - 1, Home: 0, End: tabs.length - 1 }[event.key]
    if (next === undefined) return
    event.preventDefault()
    const index = (next + tabs.length) % tabs.length
    setChosen(index)
    list.current?.querySelectorAll('button')[index]?.focus()
  }
  return (
    <div className="tabs">
      <div ref={list} className="tab-list" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map(({ key, name }, index) => (
          <button
            key={key}
            type="button"
            role="tab"
            id={`${id}-${key}`}
            aria-selected={index === shown}
            aria-controls={`${id}-view`}
            tabIndex={index === shown ? 0 : -1}
            onClick={() => setChosen(index)}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-view`} aria-labelledby={`${id}-${tabs[shown]?.key}`}>
        {tabs[shown]?.view()}
      </div>
    </div>
  )
}
