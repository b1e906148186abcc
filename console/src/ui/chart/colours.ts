/** Resolves colour tokens for canvas, which does not support CSS variables. */
import { useSyncExternalStore } from 'react'

type Token =
  | 'good'
  | 'info'
  | 'warn'
  | 'bad'
  | 'accent'
  | 'ink-soft'
  | 'line-strong'
  | 'line'
  | 'sent'
  | `status-${'queued' | 'sending' | 'sent' | 'delivered' | 'failed' | 'expired'}`

/** A CSS colour that refers to a token. */
export type Colour = `var(--${Token})` | `color-mix(${string})`

export type Colours = (colour: Colour) => string

/** Resolves colours as `near` would inherit them. */
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

/** Changes whenever colours have to be resolved again. */
export const useColourScheme = (): string => useSyncExternalStore(watch, read)
