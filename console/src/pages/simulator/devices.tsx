/** The phone and the mailbox. On narrow screens only the selected one is shown. */
import { isNotFound } from '../../api/client.ts'
import { hasScope, isInTestMode, useSession } from '../../api/session.ts'
import { TEXTS } from '../../texts.ts'
import { Failure, Loading } from '../../ui/parts.tsx'
import { type Received, useFreshInbox, useInbox } from './inbox.ts'
import { Mailbox } from './mailbox.tsx'
import { Phone } from './phone.tsx'
import '../../styles/simulator-devices.css'

const T = TEXTS.simulator

export type InboxParams = Readonly<{ device?: string; thread?: string; mail?: string; box?: string }>

type DevicesProps = Readonly<{
  params: InboxParams
  onGo: (changes: Partial<Record<keyof InboxParams, string | undefined>>) => void
}>

/** In live mode, what arrives may be meant for customers. */
export function Devices(props: DevicesProps) {
  const session = useSession()
  const mayRead = hasScope(session, 'content:read') || (session !== undefined && isInTestMode(session))
  return mayRead ? <FreshDevices {...props} /> : <p className="note">{T.notAllowed}</p>
}

function FreshDevices(props: DevicesProps) {
  useFreshInbox()
  const { data, error } = useInbox()
  if (isNotFound(error)) return <p className="note">{T.absent}</p>
  if (error !== null && data === undefined) return <Failure error={error} />
  if (data === undefined) return <Loading />
  return <Shown {...props} received={data.items} />
}

function Shown({ params, onGo, received }: DevicesProps & Readonly<{ received: readonly Received[] }>) {
  const isMailbox = params.device === 'mailbox'
  return (
    <div className={`devices ${isMailbox ? 'show-mailbox' : 'show-phone'}`}>
      <fieldset className="device-choice">
        <legend className="visually-hidden">{T.devices.choose}</legend>
        <button type="button" aria-pressed={!isMailbox} onClick={() => onGo({ device: undefined })}>
          {T.devices.phone}
        </button>
        <button type="button" aria-pressed={isMailbox} onClick={() => onGo({ device: 'mailbox' })}>
          {T.devices.mailbox}
        </button>
      </fieldset>
      <section className="card device device-phone">
        <h2>{T.devices.phone}</h2>
        <Phone received={received} chosen={params.thread} onChoose={(thread) => onGo({ thread })} />
      </section>
      <section className="card device device-mailbox">
        <h2>{T.devices.mailbox}</h2>
        <Mailbox
          received={received}
          chosen={params.mail}
          box={params.box}
          onChoose={(mail) => onGo({ mail, box: undefined })}
        />
      </section>
    </div>
  )
}
