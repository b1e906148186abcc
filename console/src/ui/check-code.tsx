/** Checks a one-time code. `received` is one to start with. */
import '../styles/check-code.css'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { CHECK_CODE_TEXTS } from '../texts/check-code.ts'
import { Badge, Button } from './parts.tsx'
import { showErrorToast } from './toast.tsx'

const T = CHECK_CODE_TEXTS

export function CheckCode({ challengeId, received = '' }: Readonly<{ challengeId: string; received?: string }>) {
  const [code, setCode] = useState(received)
  const check = useMutation({
    mutationFn: () => unwrap(api.POST('/v1/otp/validate', { body: { challenge_id: challengeId, code } })),
    onError: showErrorToast,
  })
  return (
    <form
      className="check-code"
      onSubmit={(event) => {
        event.preventDefault()
        check.mutate()
      }}
    >
      <label>
        <span className="visually-hidden">{T.code}</span>
        <input
          className="input nums"
          autoComplete="one-time-code"
          placeholder={T.codeHint}
          maxLength={10}
          value={code}
          onChange={(event) => setCode(event.target.value.trim())}
        />
      </label>
      <Button type="submit" disabled={code.length < 4 || check.isPending}>
        {T.check}
      </Button>
      <span role="status">
        {check.data !== undefined && (
          <>
            <Badge tone={check.data.valid ? 'good' : 'bad'}>{T.results[check.data.status]}</Badge>{' '}
            {check.data.status === 'invalid' && T.left(check.data.attempts_remaining)}
          </>
        )}
      </span>
    </form>
  )
}
