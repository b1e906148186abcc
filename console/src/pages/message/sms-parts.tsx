/** An SMS as it travels: each part with the room it takes, and the characters that make all parts smaller. */
import { TEXTS } from '../../texts.ts'
import { isOutsideGsm } from '../../ui/segments.ts'
import type { SmsContent } from './content.tsx'

const T = TEXTS.message.content
const ROOM = { gsm7: [160, 153], ucs2: [70, 67] } as const

export function SmsParts({ content: { body, encoding, parts } }: Readonly<{ content: SmsContent }>) {
  const room = ROOM[encoding][parts.length > 1 ? 1 : 0]
  const forcing = [...new Set(body)].filter(isOutsideGsm)
  return (
    <div className="sms-parts">
      <p className="soft">{T.parts(parts.length, TEXTS.message.details.encodings[encoding])}</p>
      <ol>
        {parts.map(({ text, units }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names, and never change places
          <li key={index}>
            <p className="sms-bubble">
              <Marked text={text} />
            </p>
            <div className="sms-units nums soft">
              <meter min={0} max={room} value={units} aria-label={T.part(index + 1, units, room)} />
              <span aria-hidden="true">{T.part(index + 1, units, room)}</span>
            </div>
          </li>
        ))}
      </ol>
      {forcing.length > 0 && (
        <p className="sms-forcing soft">
          {T.forced}{' '}
          {forcing.map((character) => (
            <mark key={character}>{character}</mark>
          ))}
        </p>
      )}
    </div>
  )
}

/** Runs of characters outside GSM-7 stand out. */
const Marked = ({ text }: Readonly<{ text: string }>) =>
  toRuns(text).map(({ run, isForcing, at }) => (isForcing ? <mark key={at}>{run}</mark> : run))

type Run = Readonly<{ run: string; isForcing: boolean; at: number }>

function toRuns(text: string): readonly Run[] {
  const runs: Run[] = []
  let at = 0
  for (const character of text) {
    const [isForcing, last] = [isOutsideGsm(character), runs.at(-1)]
    if (last?.isForcing === isForcing) runs[runs.length - 1] = { ...last, run: last.run + character }
    else runs.push({ run: character, isForcing, at })
    at += character.length
  }
  return runs
}
