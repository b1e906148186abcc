/** Signs in with a token. A link printed by the gateway signs in without this page. */
import { type FormEvent, useState } from 'react'
import { isExpired, parseSession, type Session, signIn, useEndReason } from '../api/session.ts'
import { TEXTS } from '../texts.ts'
import { Button, Field } from '../ui/parts.tsx'
import { useTitle } from '../ui/title.ts'

const T = TEXTS.signIn

export function SignIn() {
  const [token, setToken] = useState('')
  const [isShown, setShown] = useState(false)
  const [problem, setProblem] = useState<string>()
  const ending = useEndReason()
  useTitle(T.title)

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    const session = parseSession(token)
    const against = session === undefined ? T.noToken : await problemWith(session)
    if (session !== undefined && against === undefined) signIn(session)
    else setProblem(against)
  }

  return (
    <main className="main">
      <form className="card form sign-in" onSubmit={(event) => void submit(event)}>
        <h1>{T.title}</h1>
        {ending !== undefined && (
          <p className="note warn" role="alert">
            {T.endings[ending]}
          </p>
        )}
        <p className="soft">
          {T.about} <code>{T.command}</code>. {T.storage}
        </p>
        <Field label={T.token} problem={problem}>
          <input
            type={isShown ? 'text' : 'password'}
            required
            value={token}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setToken(event.target.value)}
          />
        </Field>
        <label className="row">
          <input type="checkbox" checked={isShown} onChange={(event) => setShown(event.target.checked)} />
          {T.show}
        </label>
        <div>
          <Button kind="primary" type="submit">
            {T.action}
          </Button>
        </div>
      </form>
    </main>
  )
}

/** A token without the scope to read messages is accepted; pages report what it may not do. */
async function problemWith(session: Session): Promise<string | undefined> {
  try {
    const headers = { authorization: `Bearer ${session.token}` }
    const { status } = await fetch('/v1/messages?limit=1', { headers })
    if (status === 401) return isExpired(session) ? T.expired : T.refused
    return status >= 500 ? TEXTS.common.unreachable : undefined
  } catch {
    return TEXTS.common.unreachable
  }
}
