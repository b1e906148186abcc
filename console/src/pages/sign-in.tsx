/** Signs in: with a password, with the identity provider, or with a token. */
import '../styles/sign-in.css'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { enter, signInWithToken, useEndReason, useWays } from '../api/session.ts'
import { TEXTS } from '../texts.ts'
import { Button, Failure, Field } from '../ui/parts.tsx'
import { SecretField } from '../ui/secret-field.tsx'
import { useTitle } from '../ui/title.ts'

const T = TEXTS.signIn

export function SignIn() {
  const ending = useEndReason()
  const ways = useWays()
  const hasOthers = ways?.password === true || ways?.oidc === true
  useTitle(T.title)
  return (
    <main className="main">
      <div className="card sign-in">
        <h1>{T.title}</h1>
        {ending !== undefined && (
          <p className="note warn" role="alert">
            {T.endings[ending]}
          </p>
        )}
        {ways?.oidc === true && (
          <a className="button primary" href="/v1/session/oidc">
            {T.withProvider}
          </a>
        )}
        {ways?.password === true && <PasswordForm />}
        {hasOthers ? (
          <details>
            <summary>{T.useToken}</summary>
            <TokenForm />
          </details>
        ) : (
          <TokenForm />
        )}
      </div>
    </main>
  )
}

function PasswordForm() {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const signIn = useMutation({
    mutationFn: () => unwrap(api.POST('/v1/session', { body: { email, password } })),
    onSuccess: enter,
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    signIn.mutate()
  }
  return (
    <form className="form" onSubmit={submit}>
      <Field label={T.email}>
        <input
          type="email"
          required
          value={email}
          autoComplete="username"
          onChange={(event) => setEmail(event.target.value)}
        />
      </Field>
      <SecretField label={T.password} value={password} autoComplete="current-password" onChange={setPassword} />
      {signIn.error !== null && <Failure error={signIn.error} />}
      <div>
        <Button kind="primary" type="submit" disabled={signIn.isPending}>
          {T.action}
        </Button>
      </div>
      <p className="soft">
        {T.noAccount} <code>{T.createCommand}</code>.
      </p>
    </form>
  )
}

function TokenForm() {
  const [token, setToken] = useState('')
  const [problem, setProblem] = useState<string>()

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    const against = await signInWithToken(token)
    setProblem(against && PROBLEMS[against])
  }

  return (
    <form className="form" onSubmit={(event) => void submit(event)}>
      <p className="soft">
        {T.about} <code>{T.command}</code>. {T.storage}
      </p>
      <SecretField label={T.token} value={token} autoComplete="off" problem={problem} onChange={setToken} />
      <div>
        <Button type="submit">{T.tokenAction}</Button>
      </div>
    </form>
  )
}

const PROBLEMS = {
  unknown: T.noToken,
  expired: T.expired,
  refused: T.refused,
  unreachable: TEXTS.common.unreachable,
} as const
