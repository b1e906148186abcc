/** Why the message took its path: checks, limits, route, excluded providers, and the result of each attempt. */
import { Link } from 'wouter'
import type { MessageDetails, TimelineEvent } from '../../api/client.ts'
import { TEXTS } from '../../texts.ts'
import { Badge, Card, Facts } from '../../ui/parts.tsx'
import { useSecond } from '../../ui/second.ts'
import { toSpan } from '../../ui/time.tsx'
import { isInFlight, useProviders } from './data.ts'
import { toDetail } from './event-text.ts'
import { type Attempt, TONES, toHistory } from './history.ts'
import { Limits } from './limits.tsx'
import { toPreciseSpan } from './spans.ts'
import { payloadText } from './timeline-entries.ts'
import { overdueOf, type Wait } from './waits.ts'

const T = TEXTS.message.decisions

export function Decisions({ details }: Readonly<{ details: MessageDetails }>) {
  const { attempts, waits } = toHistory(details)
  const waiting = isInFlight(details) ? waits.findLast(({ end }) => end === undefined) : undefined
  const excluded = attempts.filter(({ cycle, ending }) => cycle === details.cycle && ending === 'excluded')
  return (
    <Card title={T.title}>
      <Facts
        facts={[
          [T.checks, isChecked(details) ? <Checks key="checks" details={details} /> : null],
          [T.lane, details.lane],
          [T.limits, <Limits key="limits" account={details.account_id} />],
          [T.route, details.route_id === null ? null : <Route key="route" details={details} />],
          [T.operator, details.operator_id],
          [T.provider, details.provider],
          [T.breaker, details.provider === null ? null : <Breaker key="breaker" provider={details.provider} />],
          [T.excluded, excluded.map(({ provider }) => provider).join(', ')],
        ]}
      />
      <h3 className="decisions-attempts">{T.attempts}</h3>
      {attempts.length === 0 ? <p className="soft">{T.none}</p> : <Attempts attempts={attempts} />}
      {waiting !== undefined && <Overdue wait={waiting} />}
    </Card>
  )
}

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
  if (breaker === undefined) return <span className="soft">{TEXTS.common.none}</span>
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

const Attempts = ({ attempts }: Readonly<{ attempts: readonly Attempt[] }>) => (
  <ul className="decisions-list">
    {attempts.map((one) => (
      <li key={`${one.cycle}.${one.attempt}`}>
        <span className="nums">{T.attempt(one.attempt, one.provider)}</span>
        <Badge tone={TONES[one.ending]}>{T.endings[one.ending]}</Badge>
        {one.overdueMs !== undefined && <span>{TEXTS.message.events.overdue(toPreciseSpan(one.overdueMs))}</span>}
        {one.end !== undefined && <Answer attempt={one} />}
      </li>
    ))}
  </ul>
)

function Answer({ attempt: { begin, end } }: Readonly<{ attempt: Attempt }>) {
  if (end === undefined) return null
  return (
    <span className="soft">
      {T.took(toPreciseSpan(end.at - begin.at))}
      {payloadText(end, 'code') !== undefined && ` · ${toDetail(end)}`}
      {end.event.payload['uncounted'] === true && ` · ${T.uncounted}`}
    </span>
  )
}

/** Shown while the message waits past its due time. */
function Overdue({ wait }: Readonly<{ wait: Wait }>) {
  const overdue = overdueOf(wait, useSecond())
  return overdue === undefined ? null : <p className="note warn decisions-overdue">{T.overdueNow(toSpan(overdue))}</p>
}
