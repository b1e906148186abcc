/** Opens the command palette from anywhere, also while typing. Its code is loaded when it is first needed. */
import { useEffect } from 'react'
import { makeStore, useStore } from '../store.ts'
import { onDemand } from './on-demand.ts'

export const PALETTE = onDemand(async () => (await import('../palette/palette.tsx')).Palette)

const isOpen = makeStore(false)

export const usePaletteOpen = (): boolean => useStore(isOpen)
export const openPalette = async (): Promise<void> => isOpen.set(await PALETTE.load())
export const closePalette = (): void => isOpen.set(false)

const IS_MAC = /mac|iphone|ipad/i.test(navigator.platform)

export const SHORTCUT = IS_MAC ? { shown: '⌘K', aria: 'Meta+K' } : { shown: 'Ctrl K', aria: 'Control+K' }

/** On a Mac, Ctrl-K belongs to text fields. Listens before any field or list can stop the event. */
export function usePaletteKey(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const isModified = IS_MAC ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey
      if (!isModified || event.altKey || event.shiftKey || event.key.toLowerCase() !== 'k') return
      event.preventDefault()
      event.stopPropagation()
      if (isOpen.get()) closePalette()
      else void openPalette()
    }
    addEventListener('keydown', onKeyDown, true)
    return () => {
      removeEventListener('keydown', onKeyDown, true)
      closePalette()
    }
  }, [])
}
