/** A modal dialog: the browser's own, with its focus handling and Escape key. */
import { type PropsWithChildren, type SyntheticEvent, useId, useLayoutEffect, useRef } from 'react'

type DialogProps = PropsWithChildren<{ title: string; onClose: () => void }>

/** Open as long as it is rendered. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Closed before it is removed, so that the browser restores the focus.
  useLayoutEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  // The parent decides when to close; the browser must not do it by itself.
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
