/** Sends a test event to an endpoint, and shows what came back. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { WEBHOOKS_TEXTS } from '../../texts/webhooks.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Select } from '../../ui/select.tsx'
import { sendTest, type TestableEvent } from './attempt.ts'
import { AttemptView } from './attempt-details.tsx'
import { type Endpoint, OWN_EVENT_TYPES } from './endpoint.ts'

const T = WEBHOOKS_TEXTS.test

export function TestEvent({ endpoint, onClose }: Readonly<{ endpoint: Endpoint; onClose: () => void }>) {
  const events: readonly TestableEvent[] = endpoint.events.length === 0 ? OWN_EVENT_TYPES : endpoint.events
  const [event, setEvent] = useState(events[0] ?? 'message.delivered')
  const queries = useQueryClient()
  const test = useMutation({
    mutationFn: () => sendTest(endpoint.id, event),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['endpoints', endpoint.id, 'attempts'] }),
  })
  return (
    <FormDialog
      title={T.title(endpoint.id)}
      action={test.data === undefined ? T.action : T.again}
      fields={['/event']}
      error={test.error}
      busy={test.isPending}
      size="wide"
      onSubmit={() => test.mutate()}
      onClose={onClose}
    >
      <p className="soft">{T.about}</p>
      <Select label={T.event} value={event} of={events} onChange={setEvent} />
      {test.isPending && <p role="status">{T.waiting}</p>}
      {test.data !== undefined && !test.isPending && (
        <section aria-live="polite">
          <AttemptView attempt={test.data} />
        </section>
      )}
    </FormDialog>
  )
}
