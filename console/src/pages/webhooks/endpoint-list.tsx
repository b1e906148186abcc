/** The list of webhook endpoints. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { api, unwrap } from '../../api/client.ts'
import { hasScope, useSession } from '../../api/session.ts'
import { PAGES_TEXTS } from '../../texts/pages.ts'
import { WEBHOOKS_TEXTS } from '../../texts/webhooks.ts'
import { Items } from '../../ui/items.tsx'
import { Button, Empty, PageHead } from '../../ui/parts.tsx'
import { Table } from '../../ui/table.tsx'
import { type Endpoint, toAddress } from './endpoint.ts'
import { EndpointForm } from './endpoint-form.tsx'
import { HealthBadge } from './health.tsx'

const T = WEBHOOKS_TEXTS

export function EndpointList() {
  const mayChange = hasScope(useSession(), 'admin')
  const [isAdding, setAdding] = useState(false)
  const { data, error } = useQuery({
    queryKey: ['endpoints'],
    queryFn: () => unwrap(api.GET('/v1/endpoints')),
    refetchInterval: 5_000,
  })
  const add = (
    <Button kind="primary" onClick={() => setAdding(true)}>
      {T.add}
    </Button>
  )
  return (
    <>
      <PageHead title={PAGES_TEXTS.webhooks} about={T.about} actions={mayChange && add} />
      <Items of={data?.items} error={error} empty={<Empty>{T.none}</Empty>}>
        {(endpoints) => <EndpointTable endpoints={endpoints} />}
      </Items>
      {isAdding && <EndpointForm endpoint={undefined} onClose={() => setAdding(false)} />}
    </>
  )
}

const EndpointTable = ({ endpoints }: Readonly<{ endpoints: readonly Endpoint[] }>) => (
  <Table columns={Object.values(T.table)}>
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
  </Table>
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
