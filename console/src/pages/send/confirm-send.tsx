/** Asks before a real message is sent, and says through whom. */
import { COMMON_TEXTS } from '../../texts/common.ts'
import { SEND_TEXTS } from '../../texts/send.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { toSegments } from '../../ui/segments.ts'
import { type Draft, recipientOf, templateOf } from './draft.ts'
import { firstOf, type Routing, toMasked } from './routing.ts'
import { useRendered } from './templates.ts'
import type { Sending } from './use-sending.ts'

const T = SEND_TEXTS.confirm

type ConfirmProps = Readonly<{ draft: Draft; sending: Sending; routing: Routing }>

export function ConfirmSend({ draft, sending, routing }: ConfirmProps) {
  const { kind } = draft
  const parts = useParts(draft)
  const providers = routing.kind === 'routed' || routing.kind === 'waiting' ? routing.providers : []
  const provider = firstOf(providers)
  return (
    <Confirm title={T.titles[kind]} action={T.action[kind]} onConfirm={sending.confirm} onClose={sending.cancel}>
      <div className="stack">
        <p className="send-confirm">
          {T.sends} {T.what[kind]}
          {provider !== undefined && (
            <>
              {' '}
              {T.through} <strong>{provider.name}</strong>
            </>
          )}{' '}
          {T.to} <strong className="nums">{toMasked(recipientOf(draft))}</strong>
          {parts !== undefined && ` ${T.in(COMMON_TEXTS.parts(parts))}`}.
        </p>
        {routing.kind === 'unknown' && <p className="note warn">{T.unknown}</p>}
        {routing.kind === 'waiting' && <p className="note warn">{SEND_TEXTS.route.waiting(routing.route)}</p>}
        {providers.length > 1 && (
          <div className="soft">
            <p>{T.mayUse}</p>
            <ol className="send-candidates">
              {providers.map(({ name, isSimulator, reason }) => (
                <li key={name}>
                  <strong>{name}</strong> {isSimulator && <span className="tag">{T.simulator}</span>} {reason}
                </li>
              ))}
            </ol>
          </div>
        )}
      </div>
    </Confirm>
  )
}

/** Undefined where this page does not know the text. */
function useParts(draft: Draft): number | undefined {
  const template = templateOf(draft)
  const { data } = useRendered(template, draft.values)
  if (draft.kind !== 'sms') return undefined
  const text = template === undefined ? draft.message : data?.text
  return text === undefined ? undefined : toSegments(text.trim()).parts.length
}
