/** Dead letters by reason, each with its count, a filter and a replay button. */
import { useState } from 'react'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { DEAD_LETTERS_TEXTS } from '../../texts/dead-letters.ts'
import { toCount } from '../../ui/numbers.ts'
import { Button } from '../../ui/parts.tsx'
import { Ago } from '../../ui/time.tsx'
import type { LetterFilters, Reason } from './letters.ts'

const T = DEAD_LETTERS_TEXTS

const SHOWN = 6

type ReasonsProps = Readonly<{
  reasons: readonly Reason[]
  filters: LetterFilters
  busy: boolean
  onChoose: (chosen: LetterFilters | undefined) => void
  onReplay?: ((chosen: LetterFilters, count: number) => void) | undefined
}>

export function Reasons({ reasons, filters, busy, onChoose, onReplay }: ReasonsProps) {
  const [all, setAll] = useState(false)
  const most = Math.max(...reasons.map(({ count }) => count))
  return (
    <section className="card reasons" aria-labelledby="reasons-title">
      <h2 id="reasons-title">{T.reasons}</h2>
      <ul>
        {reasons.slice(0, all ? reasons.length : SHOWN).map((reason) => {
          const chosen = toFilters(reason)
          const isChosen = filters.error !== undefined && isSame(chosen, filters)
          return (
            <li key={`${reason.error_code} ${reason.channel} ${reason.provider}`} className={isChosen ? 'chosen' : ''}>
              <ReasonButton
                reason={reason}
                share={reason.count / most}
                pressed={isChosen}
                onClick={() => onChoose(isChosen ? undefined : chosen)}
              />
              {onReplay !== undefined && (
                <Button className="reason-replay" disabled={busy} onClick={() => onReplay(chosen, reason.count)}>
                  {T.replayCount(reason.count)}
                  <span className="visually-hidden"> {T.ofReason(reason.error_code, reason.provider)}</span>
                </Button>
              )}
            </li>
          )
        })}
      </ul>
      {reasons.length > SHOWN && !all && (
        <Button kind="plain" onClick={() => setAll(true)}>
          {T.allReasons(reasons.length)}
        </Button>
      )}
    </section>
  )
}

type ReasonButtonProps = Readonly<{ reason: Reason; share: number; pressed: boolean; onClick: () => void }>

function ReasonButton({ reason, share, pressed, onClick }: ReasonButtonProps) {
  const { error_code: code, channel, provider, count, newest_at: newest } = reason
  return (
    <button type="button" className="reason" aria-pressed={pressed} onClick={onClick}>
      <code className="reason-code">{code}</code>
      <span className="soft reason-where">
        {COMMON_TEXTS.channels[channel]} · {provider ?? T.noProvider}
      </span>
      <span className="reason-bar" aria-hidden="true">
        <span style={{ width: `${Math.max(1, 100 * share)}%` }} />
      </span>
      <strong className="nums reason-count">{toCount(count)}</strong>
      <span className="soft reason-newest">
        {T.newest} <Ago at={newest} />
      </span>
    </button>
  )
}

const toFilters = ({ error_code: error, channel, provider }: Reason): LetterFilters => ({
  error,
  channel,
  ...(provider === null ? {} : { provider }),
})

const isSame = (one: LetterFilters, other: LetterFilters): boolean =>
  one.error === other.error && one.channel === other.channel && one.provider === other.provider
