/** In how long something is due, counted down; nothing once that is long past, as of what is held. */
import { TEXTS } from '../../texts.ts'
import { useSecond } from '../../ui/second.ts'
import { Moment, toSpan } from '../../ui/time.tsx'

const T = TEXTS.message.notes
const LONG_PAST_MS = 10_000

type DueProps = Readonly<{ at: string; toWords?: (span: string) => string }>

export function Due({ at, toWords = T.nextIn }: DueProps) {
  const left = Date.parse(at) - useSecond()
  if (left < -LONG_PAST_MS) return null
  return (
    <span>
      {' · '}
      <Moment at={at}>{left < 1000 ? T.soon : toWords(toSpan(left))}</Moment>
    </span>
  )
}
