/** What was sent from this page since it was opened: kept in memory, so that it is still there on the way back. */
import { useMutation } from '@tanstack/react-query'
import { currentSession, useSession } from '../../api/session.ts'
import { makeStore, useStore } from '../../store.ts'
import { type Accepted, channelOf, type Draft, type Kind, recipientOf, submit } from './draft.ts'

export type Sent = Accepted & Readonly<{ kind: Kind; to: string; tenantId: string | undefined; at: number }>

const MOST = 24
const sent = makeStore<readonly Sent[]>([])

/** Newest first, and only what whoever is signed in may see. */
export function useSent(): readonly Sent[] {
  const tenantId = useSession()?.tenantId
  return useStore(sent).filter((one) => one.tenantId === tenantId)
}

export const forgetSent = (): void => sent.set([])

async function sendAndKeep(draft: Draft): Promise<Sent> {
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

export const useSend = (onSent: (draft: Draft) => void) =>
  useMutation({ mutationFn: sendAndKeep, onSuccess: (_, draft) => onSent(draft) })

/** Where it arrives, in the words of the address bar. */
export const placeOf = (draft: Draft) =>
  channelOf(draft) === 'sms'
    ? { device: undefined, thread: recipientOf(draft) }
    : { device: 'mailbox', box: recipientOf(draft), mail: undefined }
