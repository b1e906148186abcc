/** Invites a user. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../api/client.ts'
import { USERS_TEXTS } from '../../texts/users.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Field } from '../../ui/parts.tsx'
import { problemOf } from '../../ui/problems.tsx'
import { RoleField } from './role-field.tsx'
import { type Invited, type Role, USERS } from './user.ts'

const T = USERS_TEXTS
const FIELDS = ['/email', '/name', '/role'] as const

type InviteProps = Readonly<{ mayOperate: boolean; onInvited: (invited: Invited) => void; onClose: () => void }>

export function InviteUser({ mayOperate, onInvited, onClose }: InviteProps) {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('viewer')
  const queries = useQueryClient()
  const invite = useMutation({
    mutationFn: () => unwrap(api.POST('/v1/users', { body: { email, role, ...(name.trim() === '' ? {} : { name }) } })),
    onSuccess: async (invited) => {
      onInvited(invited)
      await queries.invalidateQueries({ queryKey: USERS })
    },
  })
  const [ofEmail, ofName, ofRole] = FIELDS.map((path) => problemOf(invite.error, path))
  return (
    <FormDialog
      title={T.inviteTitle}
      action={T.inviteAction}
      fields={FIELDS}
      error={invite.error}
      busy={invite.isPending}
      onSubmit={() => invite.mutate()}
      onClose={onClose}
    >
      <Field label={T.fields.email} problem={ofEmail}>
        <input
          type="email"
          required
          value={email}
          autoComplete="off"
          onChange={(event) => setEmail(event.target.value)}
        />
      </Field>
      <Field label={T.fields.name} problem={ofName}>
        <input value={name} autoComplete="off" onChange={(event) => setName(event.target.value)} />
      </Field>
      <RoleField value={role} mayOperate={mayOperate} problem={ofRole} onChange={setRole} />
    </FormDialog>
  )
}
