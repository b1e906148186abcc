/** The menu that chooses the columns and the density of a list. */
import { SlidersHorizontal } from 'lucide-react'
import { COMMON_TEXTS } from '../texts/common.ts'
import type { Display } from './display.ts'
import { onDemand } from './on-demand.ts'
import { PopoverButton } from './popover-button.tsx'

export type DisplayMenuProps = Readonly<{
  display: Display
  /** The columns that can be hidden, with their names. */
  columns: readonly (readonly [column: string, name: string])[]
  onChange: (display: Display) => void
}>

const MENU = onDemand(async () => (await import('./display-menu.tsx')).DisplayMenu)

export const DisplayButton = (props: DisplayMenuProps) => (
  <PopoverButton code={MENU} given={props}>
    <SlidersHorizontal aria-hidden="true" />
    {COMMON_TEXTS.display.action}
  </PopoverButton>
)
