/** Send one message: compose it, see what it looks like and through whom it goes, and follow it to its end. */
import { useEffect, useState } from 'react'
import { hasScope, type Session, useSession } from '../api/session.ts'
import { PAGES_TEXTS } from '../texts/pages.ts'
import { SEND_TEXTS } from '../texts/send.ts'
import { PageHead } from '../ui/parts.tsx'
import { useParams } from '../ui/query-string.ts'
import { ConfirmSend } from './send/confirm-send.tsx'
import { type Draft, KINDS, type Kind, newDraft, newKey, type Prefill, SCOPES } from './send/draft.ts'
import { Preview } from './send/preview.tsx'
import { SendForm } from './send/send-form.tsx'
import { SentList } from './send/sent-list.tsx'
import { useSending } from './send/use-sending.ts'
import '../styles/forms.css'
import '../styles/send.css'

const T = SEND_TEXTS

export function Send() {
  const [params, go] = useParams(['kind', 'to', 'sample'])
  const session = useSession()
  const [draft, setDraft] = useDraft(params, session)
  const sending = useSending(draft, () => setDraft((before) => ({ ...before, newKey: newKey() })))
  const change = (changes: Partial<Draft>): void => {
    // An error belongs to what was sent.
    if (changes.kind !== undefined && changes.kind !== draft.kind) sending.reset()
    setDraft((before) => ({ ...before, newKey: newKey(), ...changes }))
    if (changes.kind !== undefined) go({ kind: changes.kind }, 'replace')
  }
  return (
    <>
      <PageHead title={PAGES_TEXTS.send} about={T.about} />
      {KINDS.every((kind) => !hasScope(session, SCOPES[kind])) && <p className="note send-not">{T.noneAllowed}</p>}
      <div className="send">
        <SendForm draft={draft} sending={sending} change={change} />
        <div className="send-beside">
          <Preview draft={draft} />
          <SentList />
        </div>
      </div>
      {sending.asked !== undefined && <ConfirmSend draft={draft} sending={sending} routing={sending.asked} />}
    </>
  )
}

/** A link to another recipient starts a new draft. */
function useDraft(params: Prefill, session: Session | undefined) {
  const allowed: Kind | undefined = KINDS.find((kind) => hasScope(session, SCOPES[kind]))
  const [draft, setDraft] = useState(() => newDraft(params, allowed))
  const [filledFor, setFilledFor] = useState(params.to)
  useEffect(() => {
    if (params.to === filledFor) return
    setFilledFor(params.to)
    if (params.to !== undefined) setDraft(newDraft(params, allowed))
  }, [params, filledFor, allowed])
  return [draft, setDraft] as const
}
