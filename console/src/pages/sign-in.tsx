/** Signs in: with a password, with the identity provider, or with a token. */
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { enter, signInWithToken, useEndReason, useWays } from '../api/session.ts'
import { COMMON_TEXTS } from '../texts/common.ts'
import { SIGN_IN_TEXTS } from '../texts/sign-in.ts'
import { Button, Failure, Field } from '../ui/parts.tsx'
import { SecretField } from '../ui/secret-field.tsx'
import { SignInCard } from '../ui/sign-in-card.tsx'

const T = SIGN_IN_TEXTS

export function SignIn() {
  const ending = useEndReason()
  const ways = useWays()
  const hasOthers = ways?.password === true || ways?.oidc === true
  return (
    <SignInCard title={T.title} foot={ways?.password === true ? <NoAccount /> : undefined}>
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
    </SignInCard>
  )
}

const NoAccount = () => (
  <>
    {T.noAccount} <code>{T.createCommand}</code>.
  </>
)

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
      <Button kind="primary" type="submit" disabled={signIn.isPending}>
        {T.action}
      </Button>
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
      <Button type="submit">{T.tokenAction}</Button>
    </form>
  )
}

const PROBLEMS = {
  unknown: T.noToken,
  expired: T.expired,
  refused: T.refused,
  unreachable: COMMON_TEXTS.unreachable,
} as const
