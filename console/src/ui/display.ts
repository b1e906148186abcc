/** How a list is displayed: its columns and density, remembered in this browser. */
import { makeStore, useStore } from '../store.ts'

export const DENSITIES = ['comfortable', 'compact'] as const
export type Density = (typeof DENSITIES)[number]

export type Display = Readonly<{ density: Density; hidden: readonly string[] }>

const DEFAULT: Display = { density: 'comfortable', hidden: [] }

/** What is stored may have been written by another release. */
export function parseDisplay(text: string | null): Display {
  try {
    const stored = (JSON.parse(text ?? '{}') ?? {}) as Partial<Record<keyof Display, unknown>>
    return {
      density: DENSITIES.find((one) => one === stored.density) ?? DEFAULT.density,
      hidden: Array.isArray(stored.hidden) ? stored.hidden.filter((name) => typeof name === 'string') : [],
    }
  } catch {
    return DEFAULT
  }
}

export const withColumn = (display: Display, column: string, isShown: boolean): Display => {
  const others = display.hidden.filter((name) => name !== column)
  return { ...display, hidden: isShown ? others : [...others, column] }
}

/** A hook for the display of the list with this name. */
export function openDisplay(list: string): () => readonly [Display, (display: Display) => void] {
  const key = `pombo.display.${list}`
  const store = makeStore(parseDisplay(localStorage.getItem(key)))
  const change = (display: Display): void => {
    localStorage.setItem(key, JSON.stringify(display))
    store.set(display)
  }
  return () => [useStore(store), change]
}
