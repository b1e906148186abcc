/** A form in a dialog, with the API's errors. */
import type { FormEvent, PropsWithChildren } from 'react'
import { COMMON_TEXTS } from '../texts/common.ts'
import { Dialog } from './dialog.tsx'
import { Button } from './parts.tsx'
import { FormFailure } from './problems.tsx'

type FormDialogProps = PropsWithChildren<{
  title: string
  action: string
  /** The error paths that the form shows next to its fields, such as `/phone`. */
  fields?: readonly string[]
  error?: unknown
  busy?: boolean
  size?: 'wide'
  onSubmit: () => void
  onClose: () => void
}>

export function FormDialog({ title, action, fields, error, busy, size, onSubmit, onClose, children }: FormDialogProps) {
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <Dialog title={title} {...(size === undefined ? {} : { size })} onClose={onClose}>
      <form className="form" onSubmit={submit}>
        {children}
        <FormFailure error={error} fields={fields ?? []} />
        <div className="dialog-foot">
          <Button onClick={onClose}>{COMMON_TEXTS.cancel}</Button>
          <Button kind="primary" type="submit" disabled={busy === true}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
