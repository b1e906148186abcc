/** Sending a draft: checks it, asks how it would be routed, and lets a person confirm what is real. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, Problem, unwrap } from '../../api/client.ts'
import { fetchProviders } from '../../api/providers.ts'
import { isInTestMode, useSession } from '../../api/session.ts'
import { flawsOf } from './body.ts'
import { channelOf, type Draft, recipientOf, senderOf } from './draft.ts'
import { type Routing, toRouteSender, toRouting } from './routing.ts'
import { useSend } from './sent.ts'

export type Sending = Readonly<{
  /** Checks and sends, or asks. */
  start: () => void
  /** What has to be confirmed. */
  asked: Routing | undefined
  confirm: () => void
  cancel: () => void
  reset: () => void
  /** Why nothing was sent: no route takes it. */
  refused: Routing | undefined
  isChecking: boolean
  isSending: boolean
  error: Error | null
}>

export function useSending(draft: Draft, onSent: () => void): Sending {
  const [asked, setAsked] = useState<Routing>()
  const [refused, setRefused] = useState<Routing>()
  const session = useSession()
  const queries = useQueryClient()
  const send = useSend(() => {
    onSent()
    void queries.invalidateQueries({ queryKey: ['send', 'routing'] })
  })
  const isTest = session !== undefined && isInTestMode(session)
  const check = useMutation({
    mutationFn: () => checkDraft(draft),
    onSuccess: (routing) => {
      if (routing.kind === 'none') setRefused(routing)
      else if (isTest || (routing.kind !== 'unknown' && routing.isSimulated)) send.mutate(draft)
      else setAsked(routing)
    },
  })
  const reset = (): void => {
    setRefused(undefined)
    setAsked(undefined)
    check.reset()
    send.reset()
  }
  const start = (): void => {
    reset()
    check.mutate()
  }
  const confirm = (): void => {
    setAsked(undefined)
    send.mutate(draft)
  }
  return {
    ...{ start, confirm, reset, asked, refused },
    cancel: () => setAsked(undefined),
    isChecking: check.isPending,
    isSending: send.isPending,
    error: check.error ?? send.error,
  }
}

async function checkDraft(draft: Draft): Promise<Routing> {
  const flaws = flawsOf(draft)
  if (flaws.length > 0) throw new Problem(400, { detail: flaws[0]?.message ?? '', details: [...flaws] })
  return await fetchRouting(draft)
}

/** Asked again for each send: circuit breakers open and close. */
export async function fetchRouting(draft: Draft): Promise<Routing> {
  const sender = senderOf(draft)
  const body = {
    to: recipientOf(draft),
    channel: channelOf(draft),
    ...(draft.kind === 'sms' && draft.isFlash ? { type: 'flash_sms' as const } : {}),
    ...(sender === '' ? {} : { sender_id: toRouteSender(sender) }),
  }
  try {
    const [decision, { items }] = await Promise.all([
      unwrap(api.POST('/v1/routes/resolve', { body })),
      fetchProviders(),
    ])
    return toRouting(decision, new Set(items.filter(({ simulated }) => simulated).map(({ name }) => name)))
  } catch (error) {
    if (error instanceof Problem && error.status === 403) return { kind: 'unknown' }
    throw draft.kind === 'email' ? withFrom(error) : error
  }
}

/** The same field has another name in an email. */
function withFrom(error: unknown): unknown {
  if (!(error instanceof Problem) || error.body.details === undefined) return error
  const details = error.body.details.map((one) => (one.path === '/sender_id' ? { ...one, path: '/from' } : one))
  return new Problem(error.status, { ...error.body, details })
}
