/** Changes the password of whoever is signed in. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { enter } from '../api/session.ts'
import { INVITATION_TEXTS } from '../texts/invitation.ts'
import { PASSWORD_TEXTS } from '../texts/password.ts'
import { FormDialog } from './form-dialog.tsx'
import { problemOf } from './problems.tsx'
import { SecretField } from './secret-field.tsx'
import { showToast } from './toast.tsx'

const T = PASSWORD_TEXTS
const FIELDS = ['/current_password', '/new_password'] as const

export function ChangePassword({ onClose }: Readonly<{ onClose: () => void }>) {
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const change = useMutation({
    mutationFn: () =>
      unwrap(api.POST('/v1/session/password', { body: { current_password: current, new_password: next } })),
    onSuccess: (session) => {
      enter(session)
      onClose()
      showToast(T.changed)
    },
  })
  const [ofCurrent, ofNext] = FIELDS.map((path) => problemOf(change.error, path))
  return (
    <FormDialog
      title={T.title}
      action={T.action}
      fields={FIELDS}
      error={change.error}
      busy={change.isPending}
      onSubmit={() => change.mutate()}
      onClose={onClose}
    >
      <p className="soft">{T.about}</p>
      <SecretField
        label={T.current}
        value={current}
        autoComplete="current-password"
        problem={ofCurrent}
        onChange={setCurrent}
      />
      <SecretField
        label={T.next}
        value={next}
        autoComplete="new-password"
        hint={INVITATION_TEXTS.rules}
        problem={ofNext}
        onChange={setNext}
      />
    </FormDialog>
  )
}
