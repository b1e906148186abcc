/** A field for a password or a token, which can be shown. */
import { useState } from 'react'
import { TEXTS } from '../texts.ts'
import { Field } from './parts.tsx'

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
  return (
    <>
      <Field label={label} problem={problem}>
        <input
          type={isShown ? 'text' : 'password'}
          required
          value={value}
          autoComplete={autoComplete}
          spellCheck={false}
          autoCapitalize="none"
          onChange={(event) => onChange(event.target.value)}
        />
        {hint !== undefined && problem === undefined && <small>{hint}</small>}
      </Field>
      <label className="row">
        <input type="checkbox" checked={isShown} onChange={(event) => setShown(event.target.checked)} />
        {TEXTS.signIn.show}
      </label>
    </>
  )
}
