/** Chooses when an API key expires. */
import { TEXTS } from '../../texts.ts'
import { Options } from '../../ui/choices.tsx'
import { Field } from '../../ui/parts.tsx'
import { toLocalTime } from '../../ui/time.tsx'
import { type Draft, EXPIRIES, type Expiry } from './draft.ts'

const T = TEXTS.apiKeys

type ExpiryProps = Readonly<{
  draft: Pick<Draft, 'expiry' | 'expiresAt'>
  problem: string | undefined
  onChange: (changes: Partial<Draft>) => void
}>

export const ExpiryFields = ({ draft: { expiry, expiresAt }, problem, onChange }: ExpiryProps) => (
  <>
    <Field label={T.fields.expiry}>
      <select value={expiry} onChange={({ target }) => onChange({ expiry: target.value as Expiry })}>
        <Options of={EXPIRIES} nameOf={(one) => T.expiries[one]} />
      </select>
    </Field>
    {expiry === 'at' && (
      <Field label={T.fields.expiresAt} problem={problem}>
        <input
          type="datetime-local"
          required
          min={toLocalTime(Date.now())}
          value={expiresAt}
          onChange={({ target }) => onChange({ expiresAt: target.value })}
        />
      </Field>
    )}
  </>
)
