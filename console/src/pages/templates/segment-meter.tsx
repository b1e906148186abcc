/** The number of SMS parts of a text, the room left, and the characters that force UCS-2. */
import { COMMON_TEXTS } from '../../texts/common.ts'
import { TEMPLATES_TEXTS } from '../../texts/templates.ts'
import { Button } from '../../ui/parts.tsx'
import { isOutsideGsm, type Segments } from '../../ui/segments.ts'

const T = TEMPLATES_TEXTS

/** Typographic characters that have a GSM-7 equivalent. */
const PLAIN: Readonly<Record<string, string>> = {
  '‘': "'",
  '’': "'",
  '‚': ',',
  '´': "'",
  '`': "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '«': '"',
  '»': '"',
  '–': '-',
  '—': '-',
  '‑': '-',
  '•': '-',
  '…': '...',
  '\u00a0': ' ',
  '\u202f': ' ',
  '\u200b': '',
  '\t': ' ',
}

export const toPlain = (text: string): string => Array.from(text, (character) => PLAIN[character] ?? character).join('')

type MeterProps = Readonly<{ segments: Segments; onPlain: (() => void) | undefined }>

export function SegmentMeter({ segments: { encoding, parts, room }, onPlain }: MeterProps) {
  const left = room - (parts.at(-1)?.units ?? 0)
  const forcing = new Set(parts.flatMap(({ text }) => [...text].filter(isOutsideGsm)))
  return (
    <section className="meter" aria-label={T.meter}>
      <p className="row" aria-live="polite">
        <strong>{COMMON_TEXTS.parts(parts.length)}</strong>
        <span className="tag">{COMMON_TEXTS.encodings[encoding]}</span>
        <span className="soft nums">{T.left(left, room)}</span>
      </p>
      <div className="meter-parts" aria-hidden="true">
        {parts.map(({ units }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a part is known by its place
          <div key={index} className="meter-part">
            <div style={{ width: `${(100 * units) / room}%` }} />
          </div>
        ))}
      </div>
      {forcing.size > 0 && <Forcing characters={[...forcing]} onPlain={onPlain} />}
    </section>
  )
}

type ForcingProps = Readonly<{ characters: readonly string[]; onPlain: (() => void) | undefined }>

const Forcing = ({ characters, onPlain }: ForcingProps) => (
  <div className="meter-forcing">
    <p>{T.forced}</p>
    <ul className="row" aria-label={T.forcing}>
      {characters.map((character) => (
        <li key={character}>
          <span className="meter-character">{character.trim() === '' ? '␠' : character}</span>
          <span className="soft mono">{toCodePoint(character)}</span>
        </li>
      ))}
    </ul>
    {onPlain !== undefined && (
      <Button title={T.replaceAbout} onClick={onPlain}>
        {T.replace}
      </Button>
    )}
  </div>
)

const toCodePoint = (character: string): string =>
  `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`
