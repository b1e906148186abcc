/** Changes the name, the role or the state of a user. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../api/client.ts'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { USERS_TEXTS } from '../../texts/users.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Field } from '../../ui/parts.tsx'
import { problemOf } from '../../ui/problems.tsx'
import { Select } from '../../ui/select.tsx'
import { showToast } from '../../ui/toast.tsx'
import { RoleField } from './role-field.tsx'
import { USERS, type User } from './user.ts'

const T = USERS_TEXTS
const STATES = ['active', 'disabled'] as const
const FIELDS = ['/name', '/role', '/state'] as const

type Draft = Readonly<{ name: string; role: User['role']; state: (typeof STATES)[number] }>
type ChangeProps = Readonly<{ user: User; mayOperate: boolean; onClose: () => void }>

export function ChangeUser({ user, mayOperate, onClose }: ChangeProps) {
  const [draft, setDraft] = useState(() => toDraft(user))
  const queries = useQueryClient()
  const save = useMutation({
    mutationFn: () => change(user, draft),
    onSuccess: async ({ email }) => {
      onClose()
      showToast(T.changed(email))
      await queries.invalidateQueries({ queryKey: USERS })
    },
  })
  const [ofName, ofRole, ofState] = FIELDS.map((path) => problemOf(save.error, path))
  return (
    <FormDialog
      title={T.changeTitle(user.email)}
      action={COMMON_TEXTS.save}
      fields={FIELDS}
      error={save.error}
      busy={save.isPending}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <Field label={T.fields.name} problem={ofName}>
        <input
          value={draft.name}
          autoComplete="off"
          onChange={(event) => setDraft({ ...draft, name: event.target.value })}
        />
      </Field>
      <RoleField
        value={draft.role}
        mayOperate={mayOperate}
        disabled={user.sign_in === 'oidc'}
        problem={ofRole}
        onChange={(role) => setDraft({ ...draft, role })}
      />
      <Select
        label={T.fields.state}
        value={draft.state}
        of={STATES}
        nameOf={(state) => T.states[state]}
        problem={ofState}
        onChange={(state) => setDraft({ ...draft, state })}
      />
      <p className="soft">{T.endsSessions}</p>
    </FormDialog>
  )
}

const toDraft = ({ name, role, state }: User): Draft => ({
  name: name ?? '',
  role,
  state: state === 'disabled' ? 'disabled' : 'active',
})

/** Sends only the changed fields, so that concurrent changes to other fields survive. */
async function change(user: User, draft: Draft): Promise<User> {
  const before = toDraft(user)
  const name = draft.name.trim()
  const body = {
    ...(name === before.name ? {} : { name: name === '' ? null : name }),
    ...(draft.role === before.role ? {} : { role: draft.role }),
    ...(draft.state === before.state ? {} : { state: draft.state }),
  }
  if (Object.keys(body).length === 0) return user
  return await unwrap(api.PATCH('/v1/users/{id}', { params: { path: { id: user.id } }, body }))
}
