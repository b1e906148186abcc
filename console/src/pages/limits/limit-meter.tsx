/** Shows how much of a limit is used and when it resets. */
import type { CSSProperties } from 'react'
import { LIMITS_TEXTS } from '../../texts/limits.ts'
import { toCount } from '../../ui/numbers.ts'
import { Moment, toSpan } from '../../ui/time.tsx'
import type { Limit } from './data.ts'
import { whoOf } from './limit-text.ts'

const T = LIMITS_TEXTS

const NEARLY = 0.8

export function LimitMeter({ limit }: Readonly<{ limit: Limit }>) {
  const { used, limit: most, resets_at: resets } = limit
  if (used === null) return <span className="soft">{T.eachCounted}</span>
  const share = Math.min(1, used / most)
  const tone = share >= 1 ? 'bad' : share >= NEARLY ? 'warn' : 'good'
  return (
    <div className="limit-usage">
      <meter
        className={tone}
        style={{ '--share': `${100 * share}%` } as CSSProperties}
        aria-label={T.usedOf(whoOf(limit))}
        max={most}
        value={Math.min(used, most)}
      />
      <span className="nums">
        {T.used(toCount(used), toCount(most))}
        {share >= 1 && <strong className="limit-usage-full"> {T.full}</strong>}
      </span>
      <span className="soft nums">{resets === null ? T.idle : <Resets at={resets} />}</span>
    </div>
  )
}

const Resets = ({ at }: Readonly<{ at: string }>) => (
  <Moment at={at}>{T.room(toSpan(Math.max(1_000, Date.parse(at) - Date.now())))}</Moment>
)
