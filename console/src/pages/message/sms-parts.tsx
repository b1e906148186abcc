/** The parts of an SMS with their size, and the characters that force UCS-2. */
import { COMMON_TEXTS } from '../../texts/common.ts'
import { MESSAGE_TEXTS } from '../../texts/message.ts'
import { GsmText } from '../../ui/gsm-text.tsx'
import { isOutsideGsm, roomOf } from '../../ui/segments.ts'
import type { SmsContent } from './content.tsx'

const T = MESSAGE_TEXTS.content

export function SmsParts({ content: { body, encoding, parts } }: Readonly<{ content: SmsContent }>) {
  const room = roomOf(encoding, parts.length)
  const forcing = [...new Set(body)].filter(isOutsideGsm)
  return (
    <div className="sms-parts">
      <p className="soft">{T.parts(parts.length, COMMON_TEXTS.encodings[encoding])}</p>
      <ol>
        {parts.map(({ text, units }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names, and never change places
          <li key={index}>
            <p className="sms-bubble">
              <GsmText text={text} />
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
