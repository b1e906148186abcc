/** A popover below a button, with the focus inside. */
import '../styles/popover.css'
import type { PropsWithChildren } from 'react'
import { Popover as AriaPopover, Dialog } from 'react-aria-components'
import type { PopoverProps } from './popover-button.tsx'
import { portalOf } from './select.tsx'

type Props = PropsWithChildren<PopoverProps & { label: string; className?: string }>

/** Open as long as it is rendered. */
export const Popover = ({ trigger, label, className = '', onClose, children }: Props) => (
  <AriaPopover
    isOpen
    triggerRef={trigger}
    placement="bottom start"
    offset={4}
    className={`popover panel ${className}`}
    onOpenChange={(isOpen) => !isOpen && onClose()}
    {...portalOf(trigger.current)}
  >
    <Dialog aria-label={label} className="panel-body">
      {children}
    </Dialog>
  </AriaPopover>
)
