/** Asking before something is done; and the most frequent of it, removing. */
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import type { PropsWithChildren } from 'react'
import { TEXTS } from '../texts.ts'
import { Dialog } from './dialog.tsx'
import { Button } from './parts.tsx'
import { tell, tellError } from './toast.tsx'

type ConfirmProps = PropsWithChildren<{
  title: string
  action: string
  danger?: boolean
  /** It cannot be said yes to: not yet, or not again. */
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

type RemovalProps = PropsWithChildren<{
  title: string
  remove: () => Promise<unknown>
  /** What is told once it is gone. */
  done: string
  /** What showed it, and is asked for again whatever came of it. */
  queryKey: QueryKey
  onRemoved?: () => void
  onClose: () => void
}>

/** It closes also where that failed: what is told is told beside the page, which a dialog covers. */
export function ConfirmRemoval({ title, remove, done, queryKey, onRemoved, onClose, children }: RemovalProps) {
  const queries = useQueryClient()
  const removal = useMutation({
    mutationFn: remove,
    onSuccess: () => {
      onRemoved?.()
      tell(done)
    },
    onError: tellError,
    onSettled: async () => {
      onClose()
      await queries.invalidateQueries({ queryKey })
    },
  })
  return (
    <Confirm
      title={title}
      action={TEXTS.common.remove}
      danger
      busy={removal.isPending}
      onConfirm={() => removal.mutate()}
      onClose={onClose}
    >
      {children}
    </Confirm>
  )
}
