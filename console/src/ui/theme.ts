/** The colour theme, kept in localStorage. */
import { useState } from 'react'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const KEY = 'pombo.theme'

export function applyTheme(theme: Theme = read()): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

function read(): Theme {
  const stored = localStorage.getItem(KEY)
  return THEMES.find((theme) => theme === stored) ?? 'system'
}

export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(read)
  return [
    theme,
    (next) => {
      localStorage.setItem(KEY, next)
      applyTheme(next)
      setTheme(next)
    },
  ]
}
