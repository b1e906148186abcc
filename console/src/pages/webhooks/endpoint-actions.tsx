/** The actions of an endpoint. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api, unwrap } from '../../api/client.ts'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { WEBHOOKS_TEXTS } from '../../texts/webhooks.ts'
import { ConfirmRemoval } from '../../ui/confirm.tsx'
import { Button } from '../../ui/parts.tsx'
import { showErrorToast, showToast } from '../../ui/toast.tsx'
import type { Endpoint } from './endpoint.ts'
import { EndpointForm } from './endpoint-form.tsx'
import { TestEvent } from './test-event.tsx'

const T = WEBHOOKS_TEXTS

export function EndpointActions({ endpoint }: Readonly<{ endpoint: Endpoint }>) {
  const [dialog, setDialog] = useState<'test' | 'change' | 'remove'>()
  const toggle = useToggle(endpoint)
  const close = (): void => setDialog(undefined)
  return (
    <>
      <Button onClick={() => setDialog('test')}>{T.test.open}</Button>
      <Button onClick={() => setDialog('change')}>{COMMON_TEXTS.edit}</Button>
      <Button
        {...(endpoint.enabled ? {} : { kind: 'primary' as const })}
        disabled={toggle.isPending}
        onClick={() => toggle.mutate()}
      >
        {endpoint.enabled ? T.disable : T.enable}
      </Button>
      <Button kind="danger" onClick={() => setDialog('remove')}>
        {T.remove}
      </Button>
      {dialog === 'test' && <TestEvent endpoint={endpoint} onClose={close} />}
      {dialog === 'change' && <EndpointForm endpoint={endpoint} onClose={close} />}
      {dialog === 'remove' && <RemoveEndpoint id={endpoint.id} onClose={close} />}
    </>
  )
}

function useToggle({ id, enabled }: Endpoint) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () =>
      unwrap(api.PATCH('/v1/endpoints/{id}', { params: { path: { id } }, body: { enabled: !enabled } })),
    onSuccess: async () => {
      showToast(enabled ? T.disabled(id) : T.enabled(id))
      await queries.invalidateQueries({ queryKey: ['endpoints'] })
    },
    onError: showErrorToast,
  })
}

function RemoveEndpoint({ id, onClose }: Readonly<{ id: string; onClose: () => void }>) {
  const queries = useQueryClient()
  const [, go] = useLocation()
  const leave = (): void => {
    go('/webhooks')
    // Prevents a refetch of the removed endpoint.
    queries.removeQueries({ queryKey: ['endpoints', id] })
  }
  return (
    <ConfirmRemoval
      title={T.removeTitle(id)}
      remove={() => unwrap(api.DELETE('/v1/endpoints/{id}', { params: { path: { id } } }))}
      done={T.removed(id)}
      queryKey={['endpoints']}
      onRemoved={leave}
      onClose={onClose}
    >
      <p>{T.removeAbout}</p>
    </ConfirmRemoval>
  )
}
