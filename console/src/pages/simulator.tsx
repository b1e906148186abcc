/** The simulator: what arrived on a simulated phone or in a mailbox, and the recipients that simulate an outcome. */
import { Link, Redirect } from 'wouter'
import { maySeeSimulator, useHasSimulator } from '../api/providers.ts'
import { useSession } from '../api/session.ts'
import { PAGES_TEXTS } from '../texts/pages.ts'
import { SIMULATOR_TEXTS } from '../texts/simulator.ts'
import { Empty, Loading, PageHead } from '../ui/parts.tsx'
import { useParams } from '../ui/query-string.ts'
import { Devices } from './simulator/devices.tsx'
import { MagicList } from './simulator/magic-list.tsx'
import '../styles/simulator.css'

const T = SIMULATOR_TEXTS

export function Simulator() {
  const [params, go] = useParams(['device', 'thread', 'mail', 'box'])
  const [sending] = useParams(['to', 'kind'])
  const session = useSession()
  const { has: hasSimulator, isLoading } = useHasSimulator(session)
  if (sending.to !== undefined || sending.kind !== undefined)
    return <Redirect to={`/send?${new URLSearchParams(sending)}`} replace />
  if (session === undefined) return null
  const mayRead = maySeeSimulator(session)
  return (
    <>
      <PageHead title={PAGES_TEXTS.simulator} {...(mayRead && hasSimulator ? { about: T.about } : {})} />
      {!mayRead ? (
        <p className="note">{T.notAllowed}</p>
      ) : isLoading ? (
        <Loading />
      ) : hasSimulator ? (
        <div className="simulator">
          <Devices params={params} onGo={go} />
          <MagicList />
        </div>
      ) : (
        <Empty>
          <p className="simulator-absent">{T.absent}</p>
          <Link href="/send" className="button">
            {T.send}
          </Link>
        </Empty>
      )}
    </>
  )
}
