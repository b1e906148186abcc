/** A question that must be answered before anything else: the browser's own dialog, with its focus and its Escape. */
import { type PropsWithChildren, type SyntheticEvent, useId, useLayoutEffect, useRef } from 'react'

type DialogProps = PropsWithChildren<{ title: string; onClose: () => void }>

/** Open for as long as it is rendered. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Closed while it is still on the page, so that the browser gives the focus back to where it was.
  useLayoutEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  // Whoever renders it decides when it is gone; the browser must not close it by itself.
  const onCancel = (event: SyntheticEvent): void => {
    event.preventDefault()
    onClose()
  }
  return (
    <dialog ref={ref} className="dialog" aria-labelledby={id} onCancel={onCancel}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}
