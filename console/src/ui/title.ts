/** What the tab of the browser is called, so that several are told apart. */
import { useEffect } from 'react'
import { TEXTS } from '../texts.ts'

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${TEXTS.app.name}`
  }, [title])
}
