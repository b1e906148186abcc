/** Adds or edits a recipient. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../api/client.ts'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { RECIPIENTS_TEXTS } from '../../texts/recipients.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Facts, Field as FormField } from '../../ui/parts.tsx'
import { problemOf } from '../../ui/problems.tsx'
import { showToast } from '../../ui/toast.tsx'
import { displayName, FIELDS, type Field, type Recipient } from './recipient.ts'

const T = RECIPIENTS_TEXTS
const PATHS = FIELDS.map((field) => `/${field}`)
const KINDS: Readonly<Record<Field, string>> = {
  name: 'text',
  external_id: 'text',
  phone: 'tel',
  email: 'email',
  locale: 'text',
}

type Fields = Readonly<Record<Field, string>>
type FormProps = Readonly<{ recipient: Recipient | undefined; onClose: () => void }>

export function RecipientForm({ recipient, onClose }: FormProps) {
  const [fields, setFields] = useState(() => toFields(recipient))
  const queries = useQueryClient()
  const save = useMutation({
    mutationFn: () => (recipient === undefined ? add(fields) : change(recipient, fields)),
    onSuccess: async (saved) => {
      onClose()
      showToast(recipient === undefined ? T.added(displayName(saved)) : T.changed(displayName(saved)))
      await queries.invalidateQueries({ queryKey: ['recipients'] })
    },
  })
  const title = recipient === undefined ? T.addTitle : T.changeTitle(displayName(recipient))
  return (
    <FormDialog
      title={title}
      action={recipient === undefined ? COMMON_TEXTS.add : COMMON_TEXTS.save}
      fields={PATHS}
      error={save.error}
      busy={save.isPending}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      {recipient !== undefined && <Facts facts={[[T.id, <code key="id">{recipient.id}</code>]]} />}
      {FIELDS.map((field) => (
        <FormField key={field} label={T.fields[field]} problem={problemOf(save.error, `/${field}`)}>
          <input
            type={KINDS[field]}
            value={fields[field]}
            placeholder={T.hints[field]}
            autoComplete="off"
            onChange={(event) => setFields({ ...fields, [field]: event.target.value })}
          />
        </FormField>
      ))}
    </FormDialog>
  )
}

const toFields = (recipient: Recipient | undefined): Fields =>
  Object.fromEntries(FIELDS.map((field) => [field, recipient?.[field] ?? ''])) as Fields

const add = (fields: Fields): Promise<Recipient> => {
  const body = Object.fromEntries(FIELDS.filter((field) => fields[field] !== '').map((field) => [field, fields[field]]))
  return unwrap(api.POST('/v1/recipients', { body }))
}

/** Sends only the changed fields, so that concurrent changes to other fields survive; null clears a field. */
const change = async (recipient: Recipient, fields: Fields): Promise<Recipient> => {
  const changed = FIELDS.filter((field) => fields[field] !== (recipient[field] ?? ''))
  if (changed.length === 0) return recipient
  const body = Object.fromEntries(changed.map((field) => [field, fields[field] === '' ? null : fields[field]]))
  return unwrap(api.PATCH('/v1/recipients/{id}', { params: { path: { id: recipient.id } }, body }))
}
