/** The simulator: send, follow, and see what arrived on the phone and in the mailbox that it plays. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, take } from '../api/client.ts'
import { may, useSession } from '../api/session.ts'
import { TEXTS } from '../texts.ts'
import { PageHead } from '../ui/parts.tsx'
import { useParams } from '../ui/query-string.ts'
import { Devices } from './simulator/devices.tsx'
import { channelOf, type Draft, KINDS, newDraft, newKey, SCOPES, withRecipient } from './simulator/draft.ts'
import { MagicList } from './simulator/magic-list.tsx'
import { SendForm } from './simulator/send-form.tsx'
import { placeOf, useSend } from './simulator/sent.ts'
import { SentList } from './simulator/sent-list.tsx'
import '../styles/simulator.css'

const T = TEXTS.simulator

export function Simulator() {
  const [place, go] = useParams(['device', 'thread', 'mail', 'box'])
  const session = useSession()
  const [draft, setDraft] = useState(() => newDraft(KINDS.find((kind) => may(session, SCOPES[kind]))))
  const [keepsKey, setKeepsKey] = useState(false)
  const send = useSend((sent) => go(placeOf(sent), 'replace'))
  const change = (changes: Partial<Draft>): void => {
    // What was wrong with one kind says nothing of another.
    if (changes.kind !== undefined && changes.kind !== draft.kind) send.reset()
    setDraft((before) => ({ ...before, ...changes }))
  }
  const onSend = (): void => send.mutate(draft, { onSuccess: () => !keepsKey && change({ key: newKey() }) })
  const onSendTo = (to: string) => send.mutateAsync({ ...withRecipient(draft, to), key: newKey() })
  return (
    <>
      <PageHead title={TEXTS.pages.simulator} about={T.about} />
      <RealProviders />
      <div className="simulator">
        <div className="simulator-send">
          <SendForm
            draft={draft}
            error={send.error}
            isSending={send.isPending}
            keepsKey={keepsKey}
            change={change}
            onKeepKey={setKeepsKey}
            onSend={onSend}
          />
          <MagicList
            draft={draft}
            channel={channelOf(draft)}
            isAllowed={may(session, SCOPES[draft.kind])}
            onPick={(to) => setDraft(withRecipient(draft, to))}
            onSend={onSendTo}
          />
        </div>
        <div className="simulator-world">
          <SentList />
          <Devices place={place} onGo={go} />
        </div>
      </div>
    </>
  )
}

/** Whoever plays here must know if it is not all play; only simulators write to users that have no address. */
function RealProviders() {
  const { data } = useQuery({ queryKey: ['providers'], queryFn: () => take(api.GET('/v1/providers')) })
  const real = data?.items.filter(({ users }) => !users).map(({ name }) => name) ?? []
  return real.length === 0 ? null : <p className="note simulator-real">{T.real(real.join(', '))}</p>
}
