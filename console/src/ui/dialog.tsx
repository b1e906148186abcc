/** A modal dialog: the browser's own, with its focus handling and Escape key. */
import { type PropsWithChildren, type RefObject, type SyntheticEvent, useId, useLayoutEffect, useRef } from 'react'

type DialogProps = PropsWithChildren<{ title: string; size?: 'wide'; onClose: () => void }>

/** A dialog element that is open as long as it is rendered. */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const ref = useRef<HTMLDialogElement>(null)
  // Closed before it is removed, so that the browser restores the focus.
  useLayoutEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  return ref
}

/** Open as long as it is rendered. */
export function Dialog({ title, size, onClose, children }: DialogProps) {
  const ref = useModal()
  const id = useId()
  // The parent decides when to close; the browser must not do it by itself.
  const onCancel = (event: SyntheticEvent): void => {
    event.preventDefault()
    onClose()
  }
  return (
    <dialog ref={ref} className={`dialog ${size ?? ''}`} aria-labelledby={id} onCancel={onCancel}>
      <div className="dialog-body">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  )
}
