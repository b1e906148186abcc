/** What can be done with an endpoint: change, stop, start again, remove. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api, take } from '../../api/client.ts'
import { TEXTS } from '../../texts.ts'
import { ConfirmRemoval } from '../../ui/confirm.tsx'
import { Button } from '../../ui/parts.tsx'
import { tell, tellError } from '../../ui/toast.tsx'
import type { Endpoint } from './endpoint.ts'
import { EndpointForm } from './endpoint-form.tsx'

const T = TEXTS.webhooks

export function EndpointActions({ endpoint }: Readonly<{ endpoint: Endpoint }>) {
  const [asked, setAsked] = useState<'change' | 'remove'>()
  const turn = useTurn(endpoint)
  const close = (): void => setAsked(undefined)
  return (
    <>
      <Button onClick={() => setAsked('change')}>{T.change}</Button>
      <Button
        {...(endpoint.enabled ? {} : { kind: 'primary' as const })}
        disabled={turn.isPending}
        onClick={() => turn.mutate()}
      >
        {endpoint.enabled ? T.disable : T.enable}
      </Button>
      <Button kind="danger" onClick={() => setAsked('remove')}>
        {T.remove}
      </Button>
      {asked === 'change' && <EndpointForm endpoint={endpoint} onClose={close} />}
      {asked === 'remove' && <RemoveEndpoint id={endpoint.id} onClose={close} />}
    </>
  )
}

function useTurn({ id, enabled }: Endpoint) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => take(api.PATCH('/v1/endpoints/{id}', { params: { path: { id } }, body: { enabled: !enabled } })),
    onSuccess: async () => {
      tell(enabled ? T.disabled(id) : T.enabled(id))
      await queries.invalidateQueries({ queryKey: ['endpoints'] })
    },
    onError: tellError,
  })
}

function RemoveEndpoint({ id, onClose }: Readonly<{ id: string; onClose: () => void }>) {
  const queries = useQueryClient()
  const [, go] = useLocation()
  const leave = (): void => {
    go('/webhooks')
    // Nobody asks again for what is gone.
    queries.removeQueries({ queryKey: ['endpoints', id] })
  }
  return (
    <ConfirmRemoval
      title={T.removeTitle(id)}
      remove={() => take(api.DELETE('/v1/endpoints/{id}', { params: { path: { id } } }))}
      done={T.removed(id)}
      queryKey={['endpoints']}
      onRemoved={leave}
      onClose={onClose}
    >
      <p>{T.removeAbout}</p>
    </ConfirmRemoval>
  )
}
