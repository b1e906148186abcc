/** The phone and the mailbox. On narrow screens only the selected one is shown. */
import { isNotFound } from '../../api/client.ts'
import { SIMULATOR_TEXTS } from '../../texts/simulator.ts'
import { Failure, Loading } from '../../ui/parts.tsx'
import { type Received, useFreshInbox, useInbox } from './inbox.ts'
import { Mailbox } from './mailbox.tsx'
import { Phone } from './phone.tsx'
import '../../styles/simulator-devices.css'

const T = SIMULATOR_TEXTS

export type InboxParams = Readonly<{ device?: string; thread?: string; mail?: string; box?: string }>

type DevicesProps = Readonly<{
  params: InboxParams
  onGo: (changes: Partial<Record<keyof InboxParams, string | undefined>>) => void
}>

export function Devices(props: DevicesProps) {
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
