/** One webhook endpoint: health, secret and deliveries. */
import { useQuery } from '@tanstack/react-query'
import { api, isNotFound, unwrap } from '../../api/client.ts'
import { hasScope, useSession } from '../../api/session.ts'
import { WEBHOOKS_TEXTS } from '../../texts/webhooks.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Card, Empty, Facts, Failure, Loading, PageHead } from '../../ui/parts.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { FullTime } from '../../ui/time.tsx'
import { AttemptList } from './attempt-list.tsx'
import { Deliveries } from './deliveries.tsx'
import { type Endpoint, healthOf } from './endpoint.ts'
import { EndpointActions } from './endpoint-actions.tsx'
import { EventTags } from './endpoint-list.tsx'
import { HealthBadge } from './health.tsx'
import { SecretCard } from './secret-card.tsx'

const T = WEBHOOKS_TEXTS

export function EndpointPage({ id }: Readonly<{ id: string }>) {
  const mayChange = hasScope(useSession(), 'admin')
  const { data, error } = useQuery({
    queryKey: ['endpoints', id],
    queryFn: () => unwrap(api.GET('/v1/endpoints/{id}', { params: { path: { id } } })),
    refetchInterval: 5_000,
  })
  return (
    <>
      <BackLink href="/webhooks">{T.all}</BackLink>
      <PageHead
        title={id}
        {...(data?.description ? { about: data.description } : {})}
        actions={data !== undefined && mayChange && <EndpointActions endpoint={data} />}
      />
      {error !== null && (isNotFound(error) ? <Empty>{T.gone}</Empty> : <Failure error={error} />)}
      {data === undefined && error === null && <Loading />}
      {data !== undefined && (
        <div className="stack">
          <div className="endpoint-cards">
            <Details endpoint={data} />
            {mayChange && <SecretCard id={id} />}
          </div>
          <Tabs
            label={T.history}
            tabs={[
              { key: 'deliveries', name: T.deliveries, view: () => <Deliveries id={id} mayChange={mayChange} /> },
              { key: 'attempts', name: T.attempts.title, view: () => <Attempts id={id} /> },
            ]}
          />
        </div>
      )}
    </>
  )
}

const Attempts = ({ id }: Readonly<{ id: string }>) => (
  <section className="stack">
    <p className="soft">{T.attempts.about}</p>
    <AttemptList endpoint={id} />
  </section>
)

const Details = ({ endpoint }: Readonly<{ endpoint: Endpoint }>) => (
  <Card title={T.details}>
    <div className="stack">
      <Facts
        facts={[
          [T.table.health, <HealthBadge key="health" endpoint={endpoint} />],
          [
            T.table.url,
            <span key="url" className="row">
              <code>{endpoint.url}</code>
              <CopyButton text={endpoint.url} what={T.table.url} />
            </span>,
          ],
          [T.table.events, <EventTags key="events" events={endpoint.events} />],
          [T.since, <FullTime key="since" at={endpoint.created_at} />],
        ]}
      />
      <p className="soft">{T.healthAbout[healthOf(endpoint)]}</p>
    </div>
  </Card>
)
