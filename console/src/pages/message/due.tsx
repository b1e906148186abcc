/** In how long something is due, counted down; nothing once that is long past, as of what is held. */
import { useEffect, useState } from 'react'
import { TEXTS } from '../../texts.ts'
import { toFull, toSpan } from '../../ui/time.tsx'

const T = TEXTS.message.notes
const LONG_PAST_MS = 10_000

type DueProps = Readonly<{ at: string; toWords?: (span: string) => string }>

export function Due({ at, toWords = T.nextIn }: DueProps) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const left = Date.parse(at) - now
  if (left < -LONG_PAST_MS) return null
  return (
    <span className="due nums">
      {' · '}
      <time dateTime={at} title={toFull(at)}>
        {left < 1000 ? T.soon : toWords(toSpan(left))}
      </time>
    </span>
  )
}
