/** A field for a password or a token, which can be shown. */
import { Eye, EyeOff } from 'lucide-react'
import { useId, useState } from 'react'
import { SIGN_IN_TEXTS } from '../texts/sign-in.ts'
import { Button } from './parts.tsx'

type SecretProps = Readonly<{
  label: string
  value: string
  autoComplete: 'current-password' | 'new-password' | 'off'
  problem?: string | undefined
  /** Below the field, as long as there is no problem. */
  hint?: string
  onChange: (value: string) => void
}>

export function SecretField({ label, value, autoComplete, problem, hint, onChange }: SecretProps) {
  const [isShown, setShown] = useState(false)
  const [input, about] = [useId(), useId()]
  const note = problem ?? hint
  return (
    <div className="field">
      <label htmlFor={input}>{label}</label>
      <div className="secret">
        <input
          id={input}
          type={isShown ? 'text' : 'password'}
          required
          value={value}
          autoComplete={autoComplete}
          spellCheck={false}
          autoCapitalize="none"
          aria-describedby={note === undefined ? undefined : about}
          onChange={(event) => onChange(event.target.value)}
        />
        <Button
          kind="plain"
          className="icon-only"
          aria-label={SIGN_IN_TEXTS.show}
          title={SIGN_IN_TEXTS.show}
          aria-pressed={isShown}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? <EyeOff aria-hidden="true" /> : <Eye aria-hidden="true" />}
        </Button>
      </div>
      {note !== undefined && (
        <span id={about} className={problem === undefined ? 'field-about' : 'problem'}>
          {note}
        </span>
      )}
    </div>
  )
}
