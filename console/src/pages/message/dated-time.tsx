/** The absolute time, with the age on hover. */
import { COMMON_TEXTS } from '../../texts/common.ts'
import { toFull, toSpan } from '../../ui/time.tsx'

export const DatedTime = ({ at }: Readonly<{ at: string }>) => (
  <time dateTime={at} className="nums" title={COMMON_TEXTS.ago(toSpan(Math.max(0, Date.now() - Date.parse(at))))}>
    {toFull(at)}
  </time>
)
