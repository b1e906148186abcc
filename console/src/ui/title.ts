/** Sets the title of the browser tab. */
import { useEffect } from 'react'
import { APP_TEXTS } from '../texts/app.ts'

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${APP_TEXTS.name}`
  }, [title])
}
