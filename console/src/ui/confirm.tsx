/** A confirmation dialog, and the one for removals. */
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import type { PropsWithChildren } from 'react'
import { COMMON_TEXTS } from '../texts/common.ts'
import { Dialog } from './dialog.tsx'
import { Button } from './parts.tsx'
import { showErrorToast, showToast } from './toast.tsx'

type ConfirmProps = PropsWithChildren<{
  title: string
  action: string
  danger?: boolean
  /** Disables the confirm button. */
  busy?: boolean
  onConfirm: () => void
  onClose: () => void
}>

export function Confirm({ title, action, danger = false, busy = false, onConfirm, onClose, children }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <div className="dialog-foot">
        <Button onClick={onClose}>{COMMON_TEXTS.cancel}</Button>
        <Button kind={danger ? 'danger primary' : 'primary'} disabled={busy} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  )
}

type RemovalProps = PropsWithChildren<{
  title: string
  action?: string
  remove: () => Promise<unknown>
  /** The toast shown after the removal. */
  done: string
  /** Refetched whether the removal succeeds or fails. */
  queryKey: QueryKey
  onRemoved?: () => void
  onClose: () => void
}>

/** Closes on failure too: the dialog would cover the error toast. */
export function ConfirmRemoval(removalProps: RemovalProps) {
  const { title, action = COMMON_TEXTS.remove, remove, done, queryKey, onRemoved, onClose, children } = removalProps
  const queries = useQueryClient()
  const removal = useMutation({
    mutationFn: remove,
    onSuccess: () => {
      onRemoved?.()
      showToast(done)
    },
    onError: showErrorToast,
    onSettled: async () => {
      onClose()
      await queries.invalidateQueries({ queryKey })
    },
  })
  return (
    <Confirm
      title={title}
      action={action}
      danger
      busy={removal.isPending}
      onConfirm={() => removal.mutate()}
      onClose={onClose}
    >
      {children}
    </Confirm>
  )
}
