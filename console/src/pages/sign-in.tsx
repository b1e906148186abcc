/** Signing in with a token; a link of the gateway's own does it by itself. */
import { type FormEvent, useState } from 'react'
import { parseSession, type Session, signIn } from '../api/session.ts'
import { TEXTS } from '../texts.ts'
import { Button, Field } from '../ui/parts.tsx'
import { useTitle } from '../ui/title.ts'

const T = TEXTS.signIn

export function SignIn() {
  const [token, setToken] = useState('')
  const [problem, setProblem] = useState<string>()
  useTitle(T.title)

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    const session = parseSession(token)
    if (session === undefined) return setProblem(T.noToken)
    if (await isAccepted(session)) signIn(session)
    else setProblem(T.refused)
  }

  return (
    <main className="main">
      <form className="card form" style={{ margin: '12vh auto 0' }} onSubmit={(event) => void submit(event)}>
        <h1>{T.title}</h1>
        <p className="soft">{T.about}</p>
        <Field label={T.token} problem={problem}>
          <textarea required value={token} spellCheck={false} onChange={(event) => setToken(event.target.value)} />
        </Field>
        <div>
          <Button kind="primary" type="submit">
            {T.action}
          </Button>
        </div>
      </form>
    </main>
  )
}

const isAccepted = async ({ token }: Session): Promise<boolean> =>
  (await fetch('/v1/messages?limit=1', { headers: { authorization: `Bearer ${token}` } })).ok
