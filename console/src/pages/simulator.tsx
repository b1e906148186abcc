/** The simulator: send a message, follow it, and see what arrives on a simulated phone or mailbox. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { hasScope, useSession } from '../api/session.ts'
import { TEXTS } from '../texts.ts'
import { PageHead } from '../ui/parts.tsx'
import { useParams } from '../ui/query-string.ts'
import { Devices } from './simulator/devices.tsx'
import { channelOf, type Draft, KINDS, newDraft, newKey, SCOPES, withRecipient } from './simulator/draft.ts'
import { MagicList } from './simulator/magic-list.tsx'
import { SendForm } from './simulator/send-form.tsx'
import { inboxParamsOf, useSend } from './simulator/sent.ts'
import { SentList } from './simulator/sent-list.tsx'
import '../styles/simulator.css'

const T = TEXTS.simulator

export function Simulator() {
  const [params, go] = useParams(['device', 'thread', 'mail', 'box'])
  const session = useSession()
  const [draft, setDraft] = useState(() => newDraft(KINDS.find((kind) => hasScope(session, SCOPES[kind]))))
  const [keepsKey, setKeepsKey] = useState(false)
  const send = useSend((sent) => go(inboxParamsOf(sent), 'replace'))
  const change = (changes: Partial<Draft>): void => {
    // An error belongs to the kind of message that caused it.
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
            isAllowed={hasScope(session, SCOPES[draft.kind])}
            onPick={(to) => setDraft(withRecipient(draft, to))}
            onSend={onSendTo}
          />
        </div>
        <div className="simulator-world">
          <SentList />
          <Devices params={params} onGo={go} />
        </div>
      </div>
    </>
  )
}

/** Warns when real providers are configured. Only simulators support users without an address. */
function RealProviders() {
  const { data } = useQuery({ queryKey: ['providers'], queryFn: () => unwrap(api.GET('/v1/providers')) })
  const real = data?.items.filter(({ users }) => !users).map(({ name }) => name) ?? []
  return real.length === 0 ? null : <p className="note simulator-real">{T.real(real.join(', '))}</p>
}
