/** The messages sent from this page, kept in memory while the tab is open. */
import { useMutation } from '@tanstack/react-query'
import { currentSession, useSession } from '../../api/session.ts'
import { makeStore, useStore } from '../../store.ts'
import { type Draft, type Kind, recipientOf } from './draft.ts'
import { type Accepted, submit } from './submit.ts'

export type Sent = Accepted & Readonly<{ kind: Kind; to: string; tenantId: string | undefined; at: number }>

const MOST = 24
const sent = makeStore<readonly Sent[]>([])

/** Newest first, of the signed-in tenant only. */
export function useSent(): readonly Sent[] {
  const tenantId = useSession()?.tenantId
  return useStore(sent).filter((one) => one.tenantId === tenantId)
}

export const clearSent = (): void => sent.set([])

async function sendAndRecord(draft: Draft): Promise<Sent> {
  const accepted = await submit(draft)
  const one = {
    ...accepted,
    kind: draft.kind,
    to: recipientOf(draft),
    tenantId: currentSession()?.tenantId,
    at: Date.now(),
  }
  sent.set([one, ...sent.get().filter(({ id }) => id !== one.id)].slice(0, MOST))
  return one
}

export const useSend = (onSent: () => void) => useMutation({ mutationFn: sendAndRecord, onSuccess: onSent })
