/** Short notifications, announced by screen readers. */
import { toErrorText } from '../api/client.ts'
import { makeStore, useStore } from '../store.ts'

type Toast = Readonly<{ id: number; text: string; tone: 'good' | 'bad' }>

const SHOWN_MS = 6_000
const toasts = makeStore<readonly Toast[]>([])
let made = 0

export function showToast(text: string, tone: Toast['tone'] = 'good'): void {
  made += 1
  const toast: Toast = { id: made, text, tone }
  toasts.set([...toasts.get(), toast])
  setTimeout(() => toasts.set(toasts.get().filter((one) => one !== toast)), SHOWN_MS)
}

/** For `onError` of mutations. */
export const showErrorToast = (error: unknown): void => showToast(toErrorText(error), 'bad')

export function Toasts() {
  const shown = useStore(toasts)
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
