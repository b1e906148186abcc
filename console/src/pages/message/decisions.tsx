/** Why the message took its path: checks, limits, route and excluded providers. */
import { Link } from 'wouter'
import type { MessageDetails, TimelineEvent } from '../../api/client.ts'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { MESSAGE_TEXTS } from '../../texts/message.ts'
import { MESSAGES_TEXTS } from '../../texts/messages.ts'
import { Badge, Card, Facts } from '../../ui/parts.tsx'
import { useProviders } from './data.ts'
import { toFiltered } from './details.tsx'
import { toHistory } from './history.ts'
import { Limits } from './limits.tsx'

const T = MESSAGE_TEXTS.decisions

export function Decisions({ details }: Readonly<{ details: MessageDetails }>) {
  const { attempts } = toHistory(details)
  const excluded = attempts.filter(({ cycle, ending }) => cycle === details.cycle && ending === 'excluded')
  return (
    <Card title={T.title}>
      <Facts
        facts={[
          [T.checks, isChecked(details) ? <Checks key="checks" details={details} /> : null],
          [T.lane, MESSAGES_TEXTS.choices.lane[details.lane]],
          [T.limits, <Limits key="limits" account={details.account_id} />],
          [T.route, details.route_id === null ? null : <Route key="route" details={details} />],
          [T.operator, details.operator_id],
          [T.provider, details.provider === null ? null : <Provider key="provider" name={details.provider} />],
          [T.breaker, details.provider === null ? null : <Breaker key="breaker" provider={details.provider} />],
          [T.excluded, excluded.map(({ provider }) => provider).join(', ')],
        ]}
      />
    </Card>
  )
}

const Provider = ({ name }: Readonly<{ name: string }>) => (
  <Link href={toFiltered('provider', name)} title={MESSAGE_TEXTS.details.filter(name)}>
    {name}
  </Link>
)

/** Links to the route preview with the known conditions. The recipient is masked and has to be entered there. */
function Route({ details }: Readonly<{ details: MessageDetails }>) {
  const search = new URLSearchParams({ channel: details.channel, message_id: details.id })
  if (details.type !== 'email') search.set('type', details.type)
  if (details.sender_id !== null) search.set('sender', details.sender_id)
  return (
    <>
      <code>{details.route_id}</code> · <Link href={`/routes?${search}`}>{T.resolve}</Link>
    </>
  )
}

function Breaker({ provider }: Readonly<{ provider: string }>) {
  const breaker = useProviders().data?.items.find(({ name }) => name === provider)?.breaker
  if (breaker === undefined) return <span className="soft">{COMMON_TEXTS.none}</span>
  const tones = { closed: 'good', open: 'bad', half_open: 'warn' } as const
  return <Badge tone={tones[breaker.state]}>{T.breakers[breaker.state]}</Badge>
}

const isCheck = ({ event_type }: TimelineEvent): boolean => /^(?:MessageValidated|ValidationFailed)$/.test(event_type)

const isChecked = ({ events }: MessageDetails): boolean => events.some(isCheck)

/** The latest check. An SMS is checked on acceptance, which leaves no event. */
function Checks({ details }: Readonly<{ details: MessageDetails }>) {
  const payload: Readonly<Record<string, unknown>> = details.events.findLast(isCheck)?.payload ?? {}
  const { checks, check } = payload
  const names: Readonly<Record<string, string>> = T.checksBy
  return (
    <span className="row">
      {(Array.isArray(checks) ? checks : []).map((name: string) => (
        <Badge key={name} tone="good">
          {names[name] ?? name} {T.passed}
        </Badge>
      ))}
      {typeof check === 'string' && (
        <Badge tone="bad">
          {names[check] ?? check} {T.stopped}
        </Badge>
      )}
    </span>
  )
}
