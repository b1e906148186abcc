/** A form in a dialog: its fields, what the gateway has against it, and the two ways out. */
import type { FormEvent, PropsWithChildren } from 'react'
import { TEXTS } from '../texts.ts'
import { Dialog } from './dialog.tsx'
import { Button } from './parts.tsx'
import { FormFailure } from './problems.tsx'

type FormDialogProps = PropsWithChildren<{
  title: string
  action: string
  /** The paths of which the form itself shows what is wrong, such as `/phone`. */
  fields?: readonly string[]
  error?: unknown
  busy?: boolean
  onSubmit: () => void
  onClose: () => void
}>

export function FormDialog({ title, action, fields, error, busy, onSubmit, onClose, children }: FormDialogProps) {
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form className="form" onSubmit={submit}>
        {children}
        <FormFailure error={error} fields={fields ?? []} />
        <div className="dialog-foot">
          <Button onClick={onClose}>{TEXTS.common.cancel}</Button>
          <Button kind="primary" type="submit" disabled={busy === true}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
