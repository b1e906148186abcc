/** The list of routes, API routes first. */
import { COMMON_TEXTS } from '../../texts/common.ts'
import { ROUTES_TEXTS } from '../../texts/routes.ts'
import { toCount } from '../../ui/numbers.ts'
import { Button } from '../../ui/parts.tsx'
import { Sparkline } from '../../ui/sparkline.tsx'
import type { Route } from './data.ts'
import { conditionsOf, providersOf, retryOf, unknownOf } from './route-text.ts'
import { useTraffic } from './traffic.ts'

const T = ROUTES_TEXTS

type ListProps = Readonly<{
  routes: readonly Route[]
  /** The id of the route that the previewed message matches. */
  taken: string | undefined
  mayChange: boolean
  onChange: (route: Route) => void
  onRemove: (route: Route) => void
}>

export const RouteList = ({ routes, taken, ...rest }: ListProps) => (
  <ul className="route-list" aria-label={T.list}>
    {routes.map((route) => (
      <RouteItem key={route.id} route={route} isTaken={route.id === taken} {...rest} />
    ))}
  </ul>
)

type ItemProps = Omit<ListProps, 'routes' | 'taken'> & Readonly<{ route: Route; isTaken: boolean }>

function RouteItem({ route, isTaken, mayChange, onChange, onRemove }: ItemProps) {
  const { id, source, operator_id: operator } = route
  return (
    <li className={`route ${isTaken ? 'taken' : ''}`}>
      <div className="route-name">
        <h3>{id}</h3>
        <span className="tag">{T.sources[source]}</span>
        {isTaken && <span className="tag taken-tag">{T.taken}</span>}
      </div>
      <p className="route-fits">
        {conditionsOf(route)}
        {operator !== null && <span className="soft"> {T.operator(operator)}</span>}
      </p>
      <ProviderLine route={route} />
      <Traffic route={route} />
      <p className="soft route-failing">
        {retryOf(route) ?? T.words.ownRetry[route.channel]} {unknownOf(route) ?? T.words.ownUnknown}
      </p>
      <div className="route-actions">
        {mayChange && source === 'api' && (
          <>
            <Button aria-label={T.changeOne(id)} onClick={() => onChange(route)}>
              {COMMON_TEXTS.edit}
            </Button>
            <Button kind="danger" aria-label={T.removeOne(id)} onClick={() => onRemove(route)}>
              {COMMON_TEXTS.remove}
            </Button>
          </>
        )}
      </div>
    </li>
  )
}

/** The API counts by provider, not by route. */
function Traffic({ route }: Readonly<{ route: Route }>) {
  const traffic = useTraffic(route)
  return (
    <div className="route-traffic">
      <Sparkline values={traffic?.volumes ?? []} />
      {traffic !== undefined && (
        <p>
          {T.traffic(toCount(traffic.messages))}
          <span className="soft route-traffic-of">{T.trafficOf}</span>
        </p>
      )}
    </div>
  )
}

const ProviderLine = ({ route }: Readonly<{ route: Route }>) => (
  <ol
    className={`provider-line ${route.providers.some((one) => typeof one !== 'string') ? 'weighted' : ''}`}
    aria-label={T.providersOf(route.id)}
  >
    {providersOf(route).map(({ name, share, isFallback }) => (
      <li key={name}>
        {name}
        {share !== undefined && <span className="soft nums"> {share}</span>}
        {isFallback && <span className="soft"> {T.fallback}</span>}
      </li>
    ))}
  </ol>
)
