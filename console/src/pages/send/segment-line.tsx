/** The number of SMS parts of a text, its encoding, and which characters force UCS-2. */
import { COMMON_TEXTS } from '../../texts/common.ts'
import { SEND_TEXTS } from '../../texts/send.ts'
import { isOutsideGsm, toSegments } from '../../ui/segments.ts'

const T = SEND_TEXTS.segments
const MOST_SHOWN = 12

export function SegmentLine({ text }: Readonly<{ text: string }>) {
  const { encoding, parts, room } = toSegments(text.trim())
  const outside = [...new Set([...text.trim()].filter(isOutsideGsm))]
  return (
    <section className="segment-line nums" aria-label={T.name}>
      <p>
        <strong>{COMMON_TEXTS.parts(parts.length)}</strong>
        <span className="tag">{COMMON_TEXTS.encodings[encoding]}</span>
        <span className="soft">{T.left(parts.at(-1)?.units ?? 0, room)}</span>
      </p>
      {outside.length > 0 && (
        <p>
          <span className="soft">{T.forced}</span>
          {outside.slice(0, MOST_SHOWN).map((character) => (
            <mark key={character} title={toCodePoint(character)}>
              {character.trim() === '' ? '␠' : character}
            </mark>
          ))}
          {outside.length > MOST_SHOWN && '…'}
        </p>
      )}
    </section>
  )
}

const toCodePoint = (character: string): string =>
  `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`
