/** A question that must be answered before anything else: the browser's own dialog, with its focus and its Escape. */
import { type PropsWithChildren, type SyntheticEvent, useId, useLayoutEffect, useRef } from 'react'
import { TEXTS } from '../texts.ts'
import { Button } from './parts.tsx'

type DialogProps = PropsWithChildren<{ title: string; onClose: () => void }>

/** Open for as long as it is rendered. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Closed while it is still on the page, so that the browser gives the focus back to where it was.
  // While it is still on the page, or the focus could not go back to where it was.
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

type ConfirmProps = PropsWithChildren<{
  title: string
  action: string
  danger?: boolean
  busy?: boolean
  onConfirm: () => void
  onClose: () => void
}>

export function Confirm({ title, action, danger = false, busy = false, onConfirm, onClose, children }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <div className="dialog-foot">
        <Button onClick={onClose}>{TEXTS.common.cancel}</Button>
        <Button kind={danger ? 'danger primary' : 'primary'} disabled={busy} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  )
}
