/** The actions of a message: the one that comes next as a button, the others in a menu. A disabled action says why. */
import { CodeXml, Eraser, MessageCircleQuestion, RotateCw, Webhook } from 'lucide-react'
import { useState } from 'react'
import type { MessageDetails } from '../../api/client.ts'
import { hasScope, type Session, useSession } from '../../api/session.ts'
import { MESSAGE_TEXTS } from '../../texts/message.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { ActionMenu, type MenuAction } from '../../ui/menu.tsx'
import { Button } from '../../ui/parts.tsx'
import { CurlDialog } from './curl-dialog.tsx'
import { useDeliverAgain, useResend, useWebhookDeliveries } from './data.ts'
import { EraseDialog } from './erase-dialog.tsx'
import { ResolveDialog } from './resolve-dialog.tsx'

const T = MESSAGE_TEXTS.actions

type DetailsProps = Readonly<{ details: MessageDetails }>
type Open = 'resend' | 'erase' | 'resolve' | 'curl' | undefined

export function Actions({ details }: DetailsProps) {
  const session = useSession()
  const [open, setOpen] = useState<Open>()
  const resend = useResend(details.id, T.resent)
  const deliver = useDeliverAgain(details.id)
  const endpoints = useWebhookDeliveries(details.id).data?.items.map(({ endpoint_id }) => endpoint_id) ?? []
  const reasons = reasonsOf(details, session, endpoints.length > 0)
  // The provider has it, so that the recipient may receive it twice.
  const isRisky = details.handoff_state === 'handed_off' || details.unknown
  const close = (): void => setOpen(undefined)
  const actions: readonly Action[] = [
    {
      id: 'resolve',
      name: T.resolve,
      icon: <MessageCircleQuestion aria-hidden="true" />,
      reason: reasons.write,
      isOffered: details.unknown,
      act: () => setOpen('resolve'),
    },
    {
      id: 'resend',
      name: T.resend,
      icon: <RotateCw aria-hidden="true" />,
      reason: reasons.resend,
      act: () => (isRisky ? setOpen('resend') : resend.mutate(undefined)),
    },
    {
      id: 'deliver',
      name: T.deliver,
      icon: <Webhook aria-hidden="true" />,
      reason: reasons.deliver,
      act: () => deliver.mutate(endpoints),
    },
    { id: 'curl', name: T.curl, icon: <CodeXml aria-hidden="true" />, act: () => setOpen('curl') },
    {
      id: 'erase',
      name: T.erase,
      icon: <Eraser aria-hidden="true" />,
      reason: reasons.erase,
      danger: true,
      act: () => setOpen('erase'),
    },
  ]
  const offered = actions.filter(({ isOffered = true }) => isOffered)
  const primary = offered.find(({ id, reason }) => PRIMARY.has(id) && reason === undefined)
  return (
    <div className="page-actions">
      {primary !== undefined && (
        <Button kind="primary" disabled={resend.isPending} onClick={primary.act}>
          {primary.icon} {primary.name}
        </Button>
      )}
      <ActionMenu label={T.more} actions={offered.filter((action) => action !== primary)} />
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

type Action = MenuAction & Readonly<{ isOffered?: boolean }>

/** The first of them that is possible is the button. */
const PRIMARY: ReadonlySet<string> = new Set(['resolve', 'resend'])

/** Why each action is not possible. */
function reasonsOf(details: MessageDetails, session: Session | undefined, hasWebhooks: boolean) {
  const write = hasScope(session, 'messages:write') ? undefined : T.notAllowed
  return {
    write,
    resend: write ?? whyNotResend(details),
    deliver: hasScope(session, 'admin') ? (hasWebhooks ? undefined : T.noWebhooks) : T.notAdmin,
    erase: write ?? (details.erased && details.to === null ? T.isErased : undefined),
  }
}

function whyNotResend(details: MessageDetails): string | undefined {
  if (details.erased) return T.wasErased
  if (details.handoff_state === 'queued' || details.handoff_state === 'sending') return T.inFlight
  return details.expires_at !== null && Date.parse(details.expires_at) <= Date.now() ? T.expired : undefined
}

const ResendDialog = ({ onConfirm, onClose }: Readonly<{ onConfirm: () => void; onClose: () => void }>) => (
  <Confirm title={T.resendTitle} action={T.resend} onConfirm={onConfirm} onClose={onClose}>
    <p>{T.resendAbout}</p>
  </Confirm>
)
