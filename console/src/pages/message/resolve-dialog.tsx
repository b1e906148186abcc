/** Resolves an unknown outcome by hand. */
import { useState } from 'react'
import type { MessageDetails } from '../../api/client.ts'
import { MESSAGE_TEXTS } from '../../texts/message.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { type Resolution, useResolve } from './data.ts'

const T = MESSAGE_TEXTS.actions
const RESOLUTIONS = ['sent', 'not_sent', 'resend'] as const satisfies readonly Resolution[]

type ResolveProps = Readonly<{ details: MessageDetails; onClose: () => void }>

export function ResolveDialog({ details, onClose }: ResolveProps) {
  const [as, setAs] = useState<Resolution>()
  const resolve = useResolve(details.id, T.resolved)
  return (
    <FormDialog
      title={T.resolveTitle}
      action={T.resolveAction}
      busy={as === undefined || resolve.isPending}
      onSubmit={() => as !== undefined && resolve.mutate(as, { onSettled: onClose })}
      onClose={onClose}
    >
      <p>{T.resolveAbout(details.provider ?? '', details.attempts)}</p>
      <fieldset className="resolutions">
        <legend className="visually-hidden">{T.resolveTitle}</legend>
        {RESOLUTIONS.map((one) => (
          <label key={one}>
            <input type="radio" name="as" required checked={as === one} onChange={() => setAs(one)} />
            <span>
              <strong>{T.resolutions[one][0]}</strong>
              <br />
              <span className="soft">{T.resolutions[one][1]}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </FormDialog>
  )
}
