/** A form in a dialog: its fields, what the gateway has against it, and the two ways out. */
import type { FormEvent, PropsWithChildren } from 'react'
import { Problem } from '../api/client.ts'
import { TEXTS } from '../texts.ts'
import { Dialog } from './dialog.tsx'
import { Button, Failure } from './parts.tsx'

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
        {isForAll(error, fields ?? []) && <Failure error={error} />}
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

/** Whether something is wrong that no field shows. */
function isForAll(error: unknown, fields: readonly string[]): boolean {
  if (error === undefined || error === null) return false
  const details = error instanceof Problem ? (error.body.details ?? []) : []
  return details.length === 0 || details.some(({ path }) => !fields.includes(path))
}
