/** The number of SMS parts of a text. */
import { TEXTS } from '../../texts.ts'
import { isOutsideGsm, toSegments } from '../../ui/segments.ts'

const T = TEXTS.simulator.segments
const MOST_SHOWN = 5

export function SegmentLine({ text }: Readonly<{ text: string }>) {
  const { encoding, parts, room } = toSegments(text.trim())
  const outside = [...new Set([...text].filter(isOutsideGsm))]
  const shown = outside.slice(0, MOST_SHOWN).join(' ') + (outside.length > MOST_SHOWN ? ' …' : '')
  return (
    <p className="segment-line soft nums">
      <strong>{TEXTS.common.parts(parts.length)}</strong> · {T.left(parts.at(-1)?.units ?? 0, room)} ·{' '}
      {outside.length === 0 ? TEXTS.common.encodings[encoding] : T.forced(shown)}
    </p>
  )
}
