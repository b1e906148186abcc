/** The simulated phones, shown as one: the threads, and the open thread. */
import { SIMULATOR_TEXTS } from '../../texts/simulator.ts'
import { Age } from '../../ui/time.tsx'
import { useFirst, useFrozen } from './freeze.ts'
import { type Received, type Thread, toThreads } from './inbox.ts'
import { ThreadView } from './thread.tsx'

const T = SIMULATOR_TEXTS.phone

type PhoneProps = Readonly<{
  received: readonly Received[]
  /** Undefined shows the newest thread at the time the page was opened. */
  chosen: string | undefined
  onChoose: (to: string) => void
}>

export function Phone({ received, chosen, onChoose }: PhoneProps) {
  const threads = toThreads(received)
  const [frozen, handlers] = useFrozen(threads)
  const first = useFirst(threads[0]?.to)
  const to = chosen ?? first
  if (to === undefined) return <p className="device-empty soft">{T.none}</p>
  return (
    <div className="device-split">
      <nav className="device-list" aria-label={T.threads}>
        <ul {...handlers}>
          {frozen.map((thread) => (
            <ThreadRow key={thread.to} thread={thread} isShown={thread.to === to} onChoose={onChoose} />
          ))}
        </ul>
      </nav>
      <ThreadView key={to} to={to} />
    </div>
  )
}

type RowProps = Readonly<{ thread: Thread; isShown: boolean; onChoose: (to: string) => void }>

const ThreadRow = ({ thread: { to, newest, count }, isShown, onChoose }: RowProps) => (
  <li>
    <button type="button" aria-current={isShown} onClick={() => onChoose(to)}>
      <span className="device-line">
        <strong className="nums">{to}</strong>
        <span className="soft">
          <Age at={newest.received_at} />
        </span>
      </span>
      <span className="device-line soft">
        <span className="device-snippet">{newest.body}</span>
        {count > 1 && <span className="tag nums">{count}</span>}
      </span>
    </button>
  </li>
)
