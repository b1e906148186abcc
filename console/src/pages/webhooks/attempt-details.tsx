/** What one attempt sent, and what the server answered. */
import '../../styles/webhook-attempts.css'
import { useQuery } from '@tanstack/react-query'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { WEBHOOKS_TEXTS } from '../../texts/webhooks.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { toLatency } from '../../ui/latency.ts'
import { toSize } from '../../ui/numbers.ts'
import { Badge, Button, Facts, Failure, Loading } from '../../ui/parts.tsx'
import { type Tab, Tabs } from '../../ui/tabs.tsx'
import { FullTime } from '../../ui/time.tsx'
import { type AttemptDetails, type Body, fetchAttempt, toReadable, type WebhookAttempt } from './attempt.ts'

const T = WEBHOOKS_TEXTS.attempts

type DialogProps = Readonly<{ attempt: WebhookAttempt; onClose: () => void }>

export function AttemptDialog({ attempt: { id, endpoint_id, event_type }, onClose }: DialogProps) {
  const { data, error } = useQuery({
    queryKey: ['endpoints', endpoint_id, 'attempts', id],
    queryFn: () => fetchAttempt(endpoint_id, id),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <Dialog title={event_type} size="wide" onClose={onClose}>
      {error !== null && <Failure error={error} />}
      {error === null && data === undefined && <Loading />}
      {data !== undefined && <AttemptView attempt={data} />}
      <div className="dialog-foot">
        <Button onClick={onClose}>{COMMON_TEXTS.close}</Button>
      </div>
    </Dialog>
  )
}

export const AttemptView = ({ attempt }: Readonly<{ attempt: AttemptDetails }>) => (
  <div className="stack">
    <Facts
      facts={[
        [T.columns.result, <AttemptResult key="result" attempt={attempt} />],
        [T.url, <code key="url">{attempt.url}</code>],
        [T.webhookId, <code key="id">{attempt.webhook_id}</code>],
        [T.columns.at, <FullTime key="at" at={attempt.attempted_at} />],
        [T.columns.duration, toLatency(attempt.duration_ms)],
        [T.next, attempt.next_attempt_at !== null && <FullTime key="next" at={attempt.next_attempt_at} />],
      ]}
    />
    <Tabs label={T.parts} tabs={partsOf(attempt)} />
  </div>
)

function partsOf({ request, response, error }: AttemptDetails): readonly Tab[] {
  return [
    {
      key: 'response',
      name: T.response,
      view: () =>
        response === null ? <p className="note bad">{error}</p> : <Part {...response} emptyText={T.emptyResponse} />,
    },
    { key: 'request', name: T.request, view: () => <Part {...request} emptyText={T.emptyRequest} /> },
  ]
}

type PartProps = Readonly<{ headers: Readonly<Record<string, string>>; body: Body; emptyText: string }>

const Part = ({ headers, body, emptyText }: PartProps) => (
  <div className="stack">
    <section>
      <h3>{T.headers}</h3>
      <dl className="http-headers">
        {Object.entries(headers).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
    <section className="http-body">
      <header className="row">
        <h3>{T.body}</h3>
        <span className="soft nums">{toSize(body.bytes)}</span>
        {body.truncated && <span className="tag">{T.truncated}</span>}
        {body.text !== null && body.text !== '' && <CopyButton text={body.text} what={T.body} />}
      </header>
      {body.text === null && <p className="soft">{T.binary}</p>}
      {body.text === '' && <p className="soft">{emptyText}</p>}
      {body.text !== null && body.text !== '' && <pre>{toReadable(body)}</pre>}
    </section>
  </div>
)

/** The status, or why there was none. */
export const AttemptResult = ({ attempt }: Readonly<{ attempt: WebhookAttempt }>) => (
  <span className="row">
    <Badge tone={attempt.state === 'delivered' ? 'good' : 'bad'}>
      {attempt.status === null ? T.noResponse : T.status(attempt.status)}
    </Badge>
    {attempt.test && <span className="tag">{T.test}</span>}
    {attempt.error !== null && <span className="soft">{attempt.error}</span>}
  </span>
)
