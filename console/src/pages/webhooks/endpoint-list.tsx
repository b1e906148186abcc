/** All endpoints at a glance: where each is, how well it is and of what it is told. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { api, take } from '../../api/client.ts'
import { may, useSession } from '../../api/session.ts'
import { TEXTS } from '../../texts.ts'
import { Button, Empty, Failure, Loading, PageHead } from '../../ui/parts.tsx'
import { type Endpoint, toAddress } from './endpoint.ts'
import { EndpointForm } from './endpoint-form.tsx'
import { HealthBadge } from './health.tsx'

const T = TEXTS.webhooks

export function EndpointList() {
  const mayChange = may(useSession(), 'admin')
  const [isAdding, setAdding] = useState(false)
  const { data, error } = useQuery({
    queryKey: ['endpoints'],
    queryFn: () => take(api.GET('/v1/endpoints')),
    refetchInterval: 5_000,
  })
  const add = (
    <Button kind="primary" onClick={() => setAdding(true)}>
      {T.add}
    </Button>
  )
  return (
    <>
      <PageHead title={TEXTS.pages.webhooks} about={T.about} actions={mayChange && add} />
      {error !== null && <Failure error={error} />}
      {data === undefined && error === null && <Loading />}
      {data?.items.length === 0 && <Empty>{T.none}</Empty>}
      {data !== undefined && data.items.length > 0 && <EndpointTable endpoints={data.items} />}
      {isAdding && <EndpointForm endpoint={undefined} onClose={() => setAdding(false)} />}
    </>
  )
}

const EndpointTable = ({ endpoints }: Readonly<{ endpoints: readonly Endpoint[] }>) => (
  <div className="table-wrap">
    <table className="table stacked">
      <thead>
        <tr>
          {Object.entries(T.table).map(([key, name]) => (
            <th key={key} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {endpoints.map((endpoint) => (
          <tr key={endpoint.id}>
            <td className="row-title">
              <Link href={toAddress(endpoint.id)}>{endpoint.id}</Link>
              {endpoint.description !== null && <span className="soft">{endpoint.description}</span>}
            </td>
            <td data-label={T.table.url}>
              <code>{endpoint.url}</code>
            </td>
            <td data-label={T.table.health}>
              <HealthBadge endpoint={endpoint} />
            </td>
            <td data-label={T.table.events}>
              <EventTags events={endpoint.events} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

export const EventTags = ({ events }: Pick<Endpoint, 'events'>) =>
  events.length === 0 ? (
    <span>{T.allEvents}</span>
  ) : (
    <span className="row tags">
      {events.map((event) => (
        <span key={event} className="tag">
          {event.replace('message.', '')}
        </span>
      ))}
    </span>
  )
