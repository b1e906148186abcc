/** Through whom the message would go now, before anything is sent; and why, if nobody takes it. */
import { useQuery } from '@tanstack/react-query'
import { FlaskConical, Radio, TriangleAlert } from 'lucide-react'
import { Link } from 'wouter'
import { isInTestMode, useSession } from '../../api/session.ts'
import { SEND_TEXTS } from '../../texts/send.ts'
import { useDebounced } from '../../ui/debounced.ts'
import { channelOf, type Draft, recipientOf, senderOf } from './draft.ts'
import { firstOf, type Routing } from './routing.ts'
import { fetchRouting } from './use-sending.ts'

const T = SEND_TEXTS.route

const WHOLE = { sms: /^\+[1-9]\d{6,14}$/, email: /^[^@\s]+@[^@\s]+\.[^@\s]+$/ }

/** Only for what looks like a whole recipient; errors are shown when it is sent. */
export function RouteLine({ draft }: Readonly<{ draft: Draft }>) {
  const session = useSession()
  const [to, channel] = [recipientOf(draft), channelOf(draft)]
  const asked = useDebounced(`${channel} ${draft.kind === 'sms' && draft.isFlash} ${senderOf(draft)} ${to}`)
  const isWhole = WHOLE[channel].test(to) && asked.endsWith(to)
  const { data: routing } = useQuery({
    queryKey: ['send', 'routing', asked],
    queryFn: () => fetchRouting(draft),
    enabled: isWhole,
    retry: false,
  })
  if (!isWhole || routing === undefined) return null
  if (session !== undefined && isInTestMode(session)) return <Line icon={FlaskConical}>{T.test}</Line>
  return <RoutingLine routing={routing} />
}

function RoutingLine({ routing }: Readonly<{ routing: Routing }>) {
  if (routing.kind === 'unknown') return null
  if (routing.kind === 'none') return <Line icon={TriangleAlert}>{T.none}</Line>
  if (routing.kind === 'waiting') return <Line icon={TriangleAlert}>{T.waiting(routing.route)}</Line>
  const first = firstOf(routing.providers)?.name ?? ''
  return routing.isSimulated ? (
    <Line icon={FlaskConical}>{T.simulated(first)}</Line>
  ) : (
    <Line icon={Radio} isReal>
      {T.real(first)}
    </Line>
  )
}

type LineProps = Readonly<{ icon: typeof Radio; isReal?: boolean; children: string }>

const Line = ({ icon: Icon, isReal = false, children }: LineProps) => (
  <p className={`send-route ${isReal ? 'real' : 'soft'}`} role="status">
    <Icon aria-hidden="true" />
    {children}
  </p>
)

/** Nothing was sent. */
export function RouteRefusal({ routing }: Readonly<{ routing: Routing }>) {
  if (routing.kind !== 'none') return null
  return (
    <div className="note bad" role="alert">
      <p>{T.none}</p>
      {routing.reasons.length === 0 ? (
        <p>{T.noneAtAll}</p>
      ) : (
        <ul>
          {routing.reasons.map(({ route, reason }) => (
            <li key={route}>
              <strong>{route}</strong>: {reason}
            </li>
          ))}
        </ul>
      )}
      <Link href="/routes">{T.routes}</Link>
    </div>
  )
}
