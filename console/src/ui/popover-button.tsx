/** A button that opens a popover, whose code is loaded when the button is hovered, focused or pressed. */
import { type PropsWithChildren, type RefObject, useRef, useState } from 'react'
import type { OnDemand } from './on-demand.ts'
import { Button } from './parts.tsx'

/** What every popover gets; see ui/popover.tsx. */
export type PopoverProps = Readonly<{ trigger: RefObject<HTMLElement | null>; onClose: () => void }>

type ButtonProps<Props> = PropsWithChildren<{
  code: OnDemand<Props & PopoverProps>
  /** What the popover gets besides. */
  given: Props
  kind?: 'plain'
}>

export function PopoverButton<Props extends object>(props: ButtonProps<Props>) {
  const { code, given, kind, children } = props
  const trigger = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  const Code = code.useCode()
  const open = async (): Promise<void> => setOpen(await code.load())
  return (
    <>
      <Button
        ref={trigger}
        {...(kind === undefined ? {} : { kind })}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onPointerEnter={code.prepare}
        onFocus={code.prepare}
        onClick={() => void open()}
      >
        {children}
      </Button>
      {isOpen && Code !== undefined && <Code {...given} trigger={trigger} onClose={() => setOpen(false)} />}
    </>
  )
}
