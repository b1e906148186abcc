/** Keyboard navigation: j and k move the focus between rows, Space selects the focused row. */
import type { RefObject } from 'react'
import { useKeyDown } from '../../ui/keys.ts'

const WRITING = 'input:not([type="checkbox"]), textarea, select, dialog'

export function useRowKeys(table: RefObject<HTMLElement | null>, onToggle: (id: string) => void): void {
  useKeyDown((event) => {
    const { target, key } = event
    if (event.ctrlKey || event.metaKey || event.altKey || !(target instanceof Element)) return
    if (target.closest(WRITING) !== null) return
    const row = target.closest<HTMLElement>('[data-row]')
    if (key === 'j' || key === 'k') moveFrom(table.current, row, key === 'j' ? 1 : -1)
    else if (key === ' ' && row !== null && target.matches('a')) onToggle(row.dataset['row'] ?? '')
    else return
    event.preventDefault()
  })
}

function moveFrom(table: HTMLElement | null, row: HTMLElement | null, by: number): void {
  const rows = [...(table?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
  const place = row === null ? 0 : Math.min(rows.length - 1, Math.max(0, rows.indexOf(row) + by))
  rows[place]?.querySelector('a')?.focus()
}
