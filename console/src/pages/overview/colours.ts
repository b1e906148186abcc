/** The colours of the tokens as the browser reads them now: a canvas knows no names, and no light or dark. */
import { useSyncExternalStore } from 'react'

type Token = 'good' | 'info' | 'warn' | 'bad' | 'accent' | 'ink-soft' | 'line-strong' | 'line'

/** A colour in the words of CSS, which names it by its token. */
export type Colour = `var(--${Token})` | `color-mix(${string})`

/** Calmer than the token itself, where much of it is shown. */
export const soften = (token: Token): Colour => `color-mix(in srgb, var(--${token}) 68%, var(--raised))`

export type Colours = (colour: Colour) => string

/** `near` is any element of the page: what is read is read as it would be there. */
export const coloursNear =
  (near: HTMLElement): Colours =>
  (colour) => {
    const probe = document.createElement('span')
    probe.style.color = colour
    near.append(probe)
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
  }

const DARK = matchMedia('(prefers-color-scheme: dark)')

function watch(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange)
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  DARK.addEventListener('change', onChange)
  return () => {
    observer.disconnect()
    DARK.removeEventListener('change', onChange)
  }
}

const read = (): string => `${document.documentElement.dataset['theme'] ?? 'system'} ${DARK.matches}`

/** Another text whenever colours have to be read anew. */
export const useColourScheme = (): string => useSyncExternalStore(watch, read)
