/** The actions of a message. A disabled action says why. */
import { type ReactNode, useId, useState } from 'react'
import type { MessageDetails } from '../../api/client.ts'
import { hasScope, useSession } from '../../api/session.ts'
import { TEXTS } from '../../texts.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Button } from '../../ui/parts.tsx'
import { showToast } from '../../ui/toast.tsx'
import { CurlDialog } from './curl-dialog.tsx'
import { isInFlight, useResend } from './data.ts'
import { EraseDialog } from './erase-dialog.tsx'
import { ResolveDialog } from './resolve-dialog.tsx'

const T = TEXTS.message.actions

type DetailsProps = Readonly<{ details: MessageDetails }>

export function Actions({ details }: DetailsProps) {
  const session = useSession()
  const [open, setOpen] = useState<'resend' | 'erase' | 'resolve' | 'curl'>()
  const resend = useResend(details.id, T.resent)
  const close = (): void => setOpen(undefined)
  const forbidden = hasScope(session, 'messages:write') ? undefined : T.notAllowed
  const isWithProvider = details.handoff_state === 'handed_off'
  return (
    <div className="page-actions">
      {details.unknown && (
        <Action kind="primary" reason={forbidden} onClick={() => setOpen('resolve')}>
          {T.resolve}
        </Action>
      )}
      <Action
        reason={forbidden ?? whyNotResend(details)}
        onClick={() => (isWithProvider ? setOpen('resend') : resend.mutate(undefined))}
      >
        {T.resend}
      </Action>
      <Action
        kind="danger"
        reason={forbidden ?? (details.erased && details.to === null ? T.isErased : undefined)}
        onClick={() => setOpen('erase')}
      >
        {T.erase}
      </Action>
      <Button onClick={() => setOpen('curl')}>{T.curl}</Button>
      {open === 'resend' && (
        <ResendDialog
          onConfirm={() => {
            resend.mutate(undefined)
            close()
          }}
          onClose={close}
        />
      )}
      {open === 'erase' && <EraseDialog id={details.id} onClose={close} />}
      {open === 'resolve' && <ResolveDialog details={details} onClose={close} />}
      {open === 'curl' && <CurlDialog details={details} onClose={close} />}
    </div>
  )
}

function whyNotResend(details: MessageDetails): string | undefined {
  if (details.erased) return T.wasErased
  if (isInFlight(details)) return T.inFlight
  return details.expires_at !== null && Date.parse(details.expires_at) <= Date.now() ? T.expired : undefined
}

type ActionProps = Readonly<{
  kind?: 'primary' | 'danger'
  reason: string | undefined
  onClick: () => void
  children: ReactNode
}>

/** Uses aria-disabled so that the button stays focusable and can explain itself. */
function Action({ kind = undefined, reason, onClick, children }: ActionProps) {
  const id = useId()
  const kinds = kind === undefined ? {} : { kind }
  if (reason === undefined) {
    return (
      <Button {...kinds} onClick={onClick}>
        {children}
      </Button>
    )
  }
  return (
    <>
      <Button
        {...kinds}
        aria-disabled="true"
        aria-describedby={id}
        title={reason}
        onClick={() => showToast(reason, 'bad')}
      >
        {children}
      </Button>
      <span id={id} className="visually-hidden">
        {reason}
      </span>
    </>
  )
}

const ResendDialog = ({ onConfirm, onClose }: Readonly<{ onConfirm: () => void; onClose: () => void }>) => (
  <Confirm title={T.resendTitle} action={T.resend} onConfirm={onConfirm} onClose={onClose}>
    <p>{T.resendAbout}</p>
  </Confirm>
)
