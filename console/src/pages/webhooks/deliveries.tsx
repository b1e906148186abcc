/** The webhook deliveries of an endpoint, one per message or alert, with replay. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../api/client.ts'
import { WEBHOOKS_TEXTS } from '../../texts/webhooks.ts'
import { ChoiceField } from '../../ui/choices.tsx'
import { Listing, useListing } from '../../ui/listing.tsx'
import { Button, Empty } from '../../ui/parts.tsx'
import { useParams } from '../../ui/query-string.ts'
import { showErrorToast, showToast } from '../../ui/toast.tsx'
import { DeliveryAttempts } from './attempt-list.tsx'
import { DeliveryTable } from './delivery-table.tsx'
import { DELIVERY_STATES, type Subject, subjectIdOf } from './endpoint.ts'
import { ReplaySince } from './replay-since.tsx'

const T = WEBHOOKS_TEXTS

type DeliveriesProps = Readonly<{ id: string; mayChange: boolean }>

export function Deliveries({ id, mayChange }: DeliveriesProps) {
  const [{ state }, change] = useParams(['state'])
  const [isReplaying, setReplaying] = useState(false)
  const [inspected, setInspected] = useState<Subject>()
  const known = DELIVERY_STATES.find((one) => one === state)
  const where = known === undefined ? {} : { state: known }
  const list = useListing(
    ['endpoints', id, 'webhookDeliveries', where],
    (from) =>
      unwrap(
        api.GET('/v1/endpoints/{id}/deliveries', {
          params: { path: { id }, query: { limit: 50, ...where, ...from } },
        }),
      ),
    3_000,
  )
  const replay = useReplay(id)
  return (
    <section>
      <header className="deliveries-head">
        <p className="soft">{T.deliveriesAbout}</p>
        <ChoiceField
          label={T.state}
          value={known}
          choices={DELIVERY_STATES}
          nameOf={(one) => T.states[one]}
          onChange={(next) => change({ state: next })}
        />
        {mayChange && <Button onClick={() => setReplaying(true)}>{T.replaySince}</Button>}
      </header>
      <Listing of={list} empty={<Empty>{known === undefined ? T.noDeliveries : T.noneInState}</Empty>}>
        {(deliveries) => (
          <DeliveryTable
            deliveries={deliveries}
            onAttempts={setInspected}
            onReplay={mayChange ? replay.mutate : undefined}
          />
        )}
      </Listing>
      {inspected !== undefined && (
        <DeliveryAttempts endpoint={id} subject={inspected} onClose={() => setInspected(undefined)} />
      )}
      {isReplaying && <ReplaySince id={id} onClose={() => setReplaying(false)} />}
    </section>
  )
}

const toReplay = (subject: Subject) =>
  subject.message_id === null ? { alert_id: subjectIdOf(subject) } : { message_id: subject.message_id }

function useReplay(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (subject: Subject) =>
      unwrap(api.POST('/v1/endpoints/{id}/replay', { params: { path: { id } }, body: toReplay(subject) })),
    onSuccess: async ({ replayed }) => {
      showToast(T.replayed(replayed))
      await queries.invalidateQueries({ queryKey: ['endpoints', id] })
    },
    onError: showErrorToast,
  })
}
