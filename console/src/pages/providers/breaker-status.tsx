/** The state of a circuit breaker. */
import { TEXTS } from '../../texts.ts'
import { Since, Until } from './countdown.tsx'
import type { Provider } from './data.ts'

const T = TEXTS.providers.breaker

export function BreakerStatus({ breaker }: Readonly<{ breaker: Provider['breaker'] }>) {
  const { state, consecutive_failures: failures, opened_at: openedAt, retry_at: retryAt } = breaker
  if (state === 'closed') return <>{T.closed(failures)}</>
  return (
    <>
      {T[state]} {openedAt !== null && <Since at={openedAt} />}
      {state === 'open' && retryAt !== null && (
        <>
          {T.triesIn}{' '}
          <strong>
            <Until at={retryAt} />
          </strong>
        </>
      )}
    </>
  )
}
