/** The colour theme, kept in localStorage. */
import { makeStore, useStore } from '../store.ts'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const KEY = 'pombo.theme'

const theme = makeStore(THEMES.find((one) => one === localStorage.getItem(KEY)) ?? 'system')

export function applyTheme(): void {
  const chosen = theme.get()
  if (chosen === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = chosen
}

export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  return [
    useStore(theme),
    (next) => {
      localStorage.setItem(KEY, next)
      theme.set(next)
      applyTheme()
    },
  ]
}
