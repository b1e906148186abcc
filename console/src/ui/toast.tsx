/** Short words on what was just done, told to screen readers too. */
import { useSyncExternalStore } from 'react'

type Toast = Readonly<{ id: number; text: string; tone: 'good' | 'bad' }>

const SHOWN_MS = 6_000
const watchers = new Set<() => void>()
let toasts: readonly Toast[] = []
let made = 0

function change(next: readonly Toast[]): void {
  toasts = next
  for (const watcher of watchers) watcher()
}

export function tell(text: string, tone: Toast['tone'] = 'good'): void {
  made += 1
  const toast = { id: made, text, tone }
  change([...toasts, toast])
  setTimeout(() => change(toasts.filter(({ id }) => id !== toast.id)), SHOWN_MS)
}

/** For the `onError` of what a person did. */
export const tellError = (error: unknown): void =>
  tell(error instanceof Error ? error.message : 'Something went wrong.', 'bad')

const watch = (watcher: () => void) => {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

export function Toasts() {
  const shown = useSyncExternalStore(watch, () => toasts)
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, tone }) => (
        <div key={id} className={`toast ${tone}`}>
          {text}
        </div>
      ))}
    </div>
  )
}
