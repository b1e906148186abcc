/** Erasing cannot be undone: whoever does it says that they know. */
import { useState } from 'react'
import { TEXTS } from '../../texts.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Button } from '../../ui/parts.tsx'
import { useErase } from './data.ts'

const T = TEXTS.message.actions

export function EraseDialog({ id, onClose }: Readonly<{ id: string; onClose: () => void }>) {
  const [isSure, setSure] = useState(false)
  const erase = useErase(id, T.erased)
  return (
    <Dialog title={T.eraseTitle} onClose={onClose}>
      <p>{T.eraseAbout}</p>
      <label className="sure">
        <input type="checkbox" checked={isSure} onChange={(event) => setSure(event.target.checked)} />
        {T.eraseCheck}
      </label>
      <div className="dialog-foot">
        <Button onClick={onClose}>{TEXTS.common.cancel}</Button>
        <Button
          kind="danger primary"
          disabled={!isSure || erase.isPending}
          onClick={() => erase.mutate(undefined, { onSettled: onClose })}
        >
          {T.eraseAction}
        </Button>
      </div>
    </Dialog>
  )
}
