/** Confirms erasure with a checkbox, because it cannot be undone. */
import { useState } from 'react'
import { MESSAGE_TEXTS } from '../../texts/message.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { useErase } from './data.ts'

const T = MESSAGE_TEXTS.actions

export function EraseDialog({ id, onClose }: Readonly<{ id: string; onClose: () => void }>) {
  const [isSure, setSure] = useState(false)
  const erase = useErase(id, T.erased)
  return (
    <Confirm
      title={T.eraseTitle}
      action={T.eraseAction}
      danger
      busy={!isSure || erase.isPending}
      onConfirm={() => erase.mutate(undefined, { onSettled: onClose })}
      onClose={onClose}
    >
      <p>{T.eraseAbout}</p>
      <label className="sure">
        <input type="checkbox" checked={isSure} onChange={(event) => setSure(event.target.checked)} />
        {T.eraseCheck}
      </label>
    </Confirm>
  )
}
