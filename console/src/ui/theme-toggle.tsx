/** Chooses the colour theme. */
import { Monitor, Moon, Sun } from 'lucide-react'
import { useId } from 'react'
import { APP_TEXTS } from '../texts/app.ts'
import { Segments } from './segments-field.tsx'
import { THEMES, useTheme } from './theme.ts'

const T = APP_TEXTS
const ICONS = { system: Monitor, light: Sun, dark: Moon } as const

export function ThemeToggle() {
  const [theme, setTheme] = useTheme()
  return (
    <Segments
      label={T.theme}
      isLabelShown
      name={useId()}
      value={theme}
      of={THEMES}
      nameOf={(one) => T.themes[one]}
      iconOf={(one) => ICONS[one]}
      onChange={setTheme}
    />
  )
}
