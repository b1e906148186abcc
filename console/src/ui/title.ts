/** Sets the title of the browser tab. */
import { useEffect } from 'react'
import { TEXTS } from '../texts.ts'

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${TEXTS.app.name}`
  }, [title])
}
