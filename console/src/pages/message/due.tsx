/** A countdown to a due time. Hidden once the time is long past. */
import { MESSAGE_TEXTS } from '../../texts/message.ts'
import { useSecond } from '../../ui/second.ts'
import { Moment, toSpan } from '../../ui/time.tsx'

const T = MESSAGE_TEXTS.notes
const LONG_PAST_MS = 10_000

type DueProps = Readonly<{ at: string; format: (span: string) => string }>

export function Due({ at, format }: DueProps) {
  const left = Date.parse(at) - useSecond()
  if (left < -LONG_PAST_MS) return null
  return (
    <span>
      {' · '}
      <Moment at={at}>{left < 1000 ? T.soon : format(toSpan(left))}</Moment>
    </span>
  )
}
