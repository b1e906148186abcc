/** The simulated mailboxes, shown as one. */
import { SIMULATOR_TEXTS } from '../../texts/simulator.ts'
import { Age } from '../../ui/time.tsx'
import { useFirst, useFrozen } from './freeze.ts'
import type { Received } from './inbox.ts'
import { OpenMail } from './open-mail.tsx'

const T = SIMULATOR_TEXTS.mailbox

type MailboxProps = Readonly<{
  received: readonly Received[]
  /** The id of the attempt that delivered it. */
  chosen: string | undefined
  /** Shows the newest email to this address; undefined shows the newest one at the time the page was opened. */
  box: string | undefined
  onChoose: (attemptId: string) => void
}>

export function Mailbox({ received, chosen, box, onChoose }: MailboxProps) {
  const mails = received.filter(({ channel }) => channel === 'email')
  const [frozen, handlers] = useFrozen(mails)
  const first = useFirst(mails[0]?.attempt_id)
  const newest = box === undefined ? first : mails.find(({ to }) => to.toLowerCase() === box.toLowerCase())?.attempt_id
  const shown = chosen ?? newest
  if (first === undefined) return <p className="device-empty soft">{T.none}</p>
  return (
    <div className="device-split">
      <nav className="device-list" aria-label={T.mails}>
        <ul {...handlers}>
          {frozen.map((mail) => (
            <MailRow key={mail.attempt_id} mail={mail} isShown={mail.attempt_id === shown} onChoose={onChoose} />
          ))}
        </ul>
      </nav>
      {shown === undefined ? (
        <p className="device-empty soft">{T.nothing(box ?? '')}</p>
      ) : (
        <OpenMail key={shown} attemptId={shown} />
      )}
    </div>
  )
}

type RowProps = Readonly<{ mail: Received; isShown: boolean; onChoose: (attemptId: string) => void }>

const MailRow = ({ mail, isShown, onChoose }: RowProps) => (
  <li>
    <button type="button" aria-current={isShown} onClick={() => onChoose(mail.attempt_id)}>
      <span className="device-line">
        <strong className="device-snippet">{mail.subject ?? T.noSubject}</strong>
        <span className="soft">
          <Age at={mail.received_at} />
        </span>
      </span>
      <span className="device-line soft">
        <span className="device-snippet">{mail.to}</span>
      </span>
    </button>
  </li>
)
