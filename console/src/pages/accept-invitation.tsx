/** Sets the password of somebody who has opened the link of an invitation, and signs them in. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { api, unwrap } from '../api/client.ts'
import { enter, type Session, useSession } from '../api/session.ts'
import { INVITATION_TEXTS } from '../texts/invitation.ts'
import { Button, Failure, Field, Loading } from '../ui/parts.tsx'
import { FormFailure, problemOf } from '../ui/problems.tsx'
import { SecretField } from '../ui/secret-field.tsx'
import { SignInCard } from '../ui/sign-in-card.tsx'
import { nameOf } from '../ui/who.ts'

const T = INVITATION_TEXTS
const LINK = /^#invitation=([\w.-]+)$/

export function AcceptInvitation() {
  const [token] = useState(() => LINK.exec(location.hash)?.[1])
  return (
    <SignInCard title={T.title} foot={<Link href="/">{T.toSignIn}</Link>}>
      {token === undefined ? <p className="note bad">{T.missing}</p> : <Invited token={token} />}
    </SignInCard>
  )
}

function Invited({ token }: Readonly<{ token: string }>) {
  const { data, error } = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => unwrap(api.POST('/v1/session/invitation', { body: { token } })),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (error !== null) return <Failure error={error} />
  return data === undefined ? <Loading /> : <PasswordForm token={token} email={data.email} />
}

function PasswordForm({ token, email }: Readonly<{ token: string; email: string }>) {
  const [password, setPassword] = useState('')
  const [present] = useState(useSession())
  const [, go] = useLocation()
  const accept = useMutation({
    mutationFn: () => unwrap(api.POST('/v1/session/accept-invitation', { body: { token, password } })),
    onSuccess: (session) => {
      enter(session)
      go('/', { replace: true })
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    accept.mutate()
  }
  return (
    <form className="form" onSubmit={submit}>
      <p>{T.about(email)}</p>
      {present !== undefined && <Replaced present={present} email={email} />}
      <Field label={T.email}>
        <input type="email" readOnly value={email} autoComplete="username" />
      </Field>
      <SecretField
        label={T.password}
        value={password}
        autoComplete="new-password"
        hint={T.rules}
        problem={problemOf(accept.error, '/password')}
        onChange={setPassword}
      />
      <FormFailure error={accept.error} fields={['/password']} />
      <div>
        <Button kind="primary" type="submit" disabled={accept.isPending}>
          {T.action}
        </Button>
      </div>
    </form>
  )
}

const Replaced = ({ present, email }: Readonly<{ present: Session; email: string }>) => (
  <p className="note warn">{T.replaces(nameOf(present), email)}</p>
)
