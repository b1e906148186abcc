/** Adds or edits an endpoint. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api, unwrap } from '../../api/client.ts'
import { hasScope, isInTestMode, useSession } from '../../api/session.ts'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { WEBHOOKS_TEXTS } from '../../texts/webhooks.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Field } from '../../ui/parts.tsx'
import { problemOf } from '../../ui/problems.tsx'
import { showToast } from '../../ui/toast.tsx'
import { type Endpoint, EVENT_TYPES, type EventType, OWN_EVENT_TYPES, toAddress } from './endpoint.ts'

const T = WEBHOOKS_TEXTS

type Fields = Readonly<{ id: string; url: string; description: string; events: readonly EventType[] }>
type FormProps = Readonly<{ endpoint: Endpoint | undefined; onClose: () => void }>

export function EndpointForm({ endpoint, onClose }: FormProps) {
  const [fields, setFields] = useState<Fields>({
    id: endpoint?.id ?? '',
    url: endpoint?.url ?? '',
    description: endpoint?.description ?? '',
    events: endpoint?.events ?? [],
  })
  const save = useSave(endpoint, fields, onClose)
  return (
    <FormDialog
      title={endpoint === undefined ? T.addTitle : T.changeTitle(endpoint.id)}
      action={endpoint === undefined ? COMMON_TEXTS.add : COMMON_TEXTS.save}
      fields={['/id', '/url', '/description']}
      error={save.error}
      busy={save.isPending}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <Texts fields={fields} isNew={endpoint === undefined} error={save.error} onChange={setFields} />
      <Events chosen={fields.events} onChange={(events) => setFields({ ...fields, events })} />
    </FormDialog>
  )
}

function useSave(endpoint: Endpoint | undefined, fields: Fields, onClose: () => void) {
  const queries = useQueryClient()
  const [, go] = useLocation()
  return useMutation({
    mutationFn: (): Promise<Endpoint> => (endpoint === undefined ? add(fields) : change(endpoint.id, fields)),
    onSuccess: async ({ id }) => {
      onClose()
      if (endpoint === undefined) go(toAddress(id))
      showToast(endpoint === undefined ? T.added(id) : T.changed(id))
      await queries.invalidateQueries({ queryKey: ['endpoints'] })
    },
  })
}

const add = ({ id, url, description, events }: Fields) =>
  unwrap(
    api.POST('/v1/endpoints', {
      body: {
        url,
        events: [...events],
        ...(id === '' ? {} : { id }),
        ...(description === '' ? {} : { description }),
      },
    }),
  )

const change = (id: string, { url, description, events }: Fields) =>
  unwrap(
    api.PATCH('/v1/endpoints/{id}', {
      params: { path: { id } },
      body: { url, events: [...events], description: description === '' ? null : description },
    }),
  )

type TextsProps = Readonly<{ fields: Fields; isNew: boolean; error: unknown; onChange: (fields: Fields) => void }>

const Texts = ({ fields, isNew, error, onChange }: TextsProps) => (
  <>
    <Field label={T.fields.url} problem={problemOf(error, '/url')}>
      <input
        required
        type="url"
        value={fields.url}
        placeholder={T.urlHint}
        onChange={(event) => onChange({ ...fields, url: event.target.value })}
      />
    </Field>
    {isNew && (
      <Field label={T.fields.id} problem={problemOf(error, '/id')}>
        <input
          value={fields.id}
          placeholder={T.idHint}
          onChange={(event) => onChange({ ...fields, id: event.target.value })}
        />
      </Field>
    )}
    <Field label={T.fields.description} problem={problemOf(error, '/description')}>
      <input
        value={fields.description}
        placeholder={T.descriptionHint}
        onChange={(event) => onChange({ ...fields, description: event.target.value })}
      />
    </Field>
  </>
)

type EventsProps = Readonly<{ chosen: readonly EventType[]; onChange: (events: readonly EventType[]) => void }>

function Events({ chosen, onChange }: EventsProps) {
  const session = useSession()
  const isOperator = session !== undefined && hasScope(session, 'operator') && !isInTestMode(session)
  const offered: readonly EventType[] = isOperator ? EVENT_TYPES : OWN_EVENT_TYPES
  return (
    <fieldset className="event-types">
      <legend>{T.fields.events}</legend>
      <p className="soft">{isOperator ? T.operatorEventsHint : T.eventsHint}</p>
      {offered.map((event) => (
        <label key={event}>
          <input
            type="checkbox"
            checked={chosen.includes(event)}
            onChange={({ target }) =>
              onChange(EVENT_TYPES.filter((one) => (one === event ? target.checked : chosen.includes(one))))
            }
          />
          <code>{event}</code>
        </label>
      ))}
    </fieldset>
  )
}
