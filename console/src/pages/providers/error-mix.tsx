/** The most frequent errors of a provider, each linked to its messages. */
import { Link } from 'wouter'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { PROVIDERS_TEXTS } from '../../texts/providers.ts'
import { sum, toCount, toShare } from '../../ui/numbers.ts'
import { Ago } from '../../ui/time.tsx'
import type { ErrorCount } from './data.ts'

const T = PROVIDERS_TEXTS.errors
const SHOWN = 5

type Props = Readonly<{ provider: string; errors: readonly ErrorCount[] | undefined }>

export function ErrorMix({ provider, errors }: Props) {
  return (
    <div className="provider-errors">
      <h3>{T.title}</h3>
      {errors === undefined ? <p className="soft">{T.away}</p> : <Mix provider={provider} errors={errors} />}
    </div>
  )
}

function Mix({ provider, errors }: Readonly<{ provider: string; errors: readonly ErrorCount[] }>) {
  const all = sum(errors.map(({ count }) => count))
  if (all === 0) return <p className="soft">{T.none}</p>
  const isTwice = (code: string): boolean => errors.filter((one) => one.error_code === code).length > 1
  const rest = sum(errors.slice(SHOWN).map(({ count }) => count))
  return (
    <ul className="mix">
      {errors.slice(0, SHOWN).map((error) => (
        <Line
          key={`${error.channel} ${error.error_code}`}
          provider={provider}
          error={error}
          share={error.count / all}
          isTwice={isTwice(error.error_code)}
        />
      ))}
      {rest > 0 && <li className="soft">{T.rest(toCount(rest))}</li>}
    </ul>
  )
}

/** The messages with this error. */
export const messagesWith = (provider: string, { channel, error_code: code }: ErrorCount): string =>
  `/messages?${new URLSearchParams({ provider, channel, q: code })}`

type LineProps = Readonly<{ provider: string; error: ErrorCount; share: number; isTwice: boolean }>

/** Shows the channel when both channels have the same error code. */
function Line({ provider, error, share, isTwice }: LineProps) {
  const { channel, error_code: code, count, newest_at: newest } = error
  return (
    <li>
      <div className="mix-words">
        <Link href={messagesWith(provider, error)}>
          <span className="mono">{code}</span>
          {isTwice && ` ${COMMON_TEXTS.channels[channel]}`}
        </Link>
        <span className="nums">
          {toCount(count)}{' '}
          <span className="soft">
            · {toShare(share)} · {T.newest} <Ago at={newest} />
          </span>
        </span>
      </div>
      <div className="mix-bar" aria-hidden="true">
        <div style={{ width: `${100 * share}%` }} />
      </div>
    </li>
  )
}
