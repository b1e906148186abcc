/** Recent traffic of a provider: rate, delivery rate, latency. */
import { OVERVIEW_TEXTS } from '../../texts/overview.ts'
import { PROVIDERS_TEXTS } from '../../texts/providers.ts'
import { toLatency } from '../../ui/latency.ts'
import { toCount, toRate, toShare } from '../../ui/numbers.ts'
import type { Provider } from './data.ts'
import { STAGE_TONES, STAGES, successOf, type Tally, tally } from './tally.ts'

const T = PROVIDERS_TEXTS.recent

export function Recent({ recent }: Readonly<{ recent: Provider['recent'] }>) {
  if (recent === null) return <p className="soft">{T.away}</p>
  const counted = tally(recent.statuses)
  const success = successOf(counted)
  const p95 = recent.accept_to_handoff_p95_ms
  return (
    <div className="provider-recent">
      <h3>{T.title(recent.seconds / 60)}</h3>
      <dl className="provider-figures">
        <Figure name={T.rate} value={toRate(recent.messages_per_second)} unit={T.perSecond} />
        <Figure name={T.delivered} value={success === undefined ? '–' : toShare(success)} />
        <Figure name={T.handoff} value={p95 === null ? '–' : toLatency(p95)} unit={p95 === null ? '' : T.p95} />
      </dl>
      {counted.messages > 0 && <Shares counted={counted} />}
    </div>
  )
}

const Figure = ({ name, value, unit = '' }: Readonly<{ name: string; value: string; unit?: string }>) => (
  <div>
    <dt>{name}</dt>
    <dd className="nums">
      <strong>{value}</strong> <span className="soft">{unit}</span>
    </dd>
  </div>
)

/** A bar of shares, and its legend. */
function Shares({ counted }: Readonly<{ counted: Tally }>) {
  const stages = STAGES.filter((stage) => counted[stage] > 0)
  return (
    <>
      <div className="shares" aria-hidden="true">
        {stages.map((stage) => (
          <div key={stage} className={STAGE_TONES[stage]} style={{ flexGrow: counted[stage] }} />
        ))}
      </div>
      <ul className="shares-words">
        {stages.map((stage) => (
          <li key={stage} className={`share ${STAGE_TONES[stage]}`}>
            <span className="nums">{toCount(counted[stage])}</span> {OVERVIEW_TEXTS.stages[stage]}
          </li>
        ))}
      </ul>
    </>
  )
}
