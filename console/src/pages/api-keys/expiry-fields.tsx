/** Chooses when an API key expires. */
import { API_KEYS_TEXTS } from '../../texts/api-keys.ts'
import { Select } from '../../ui/select.tsx'
import { TimeField } from '../../ui/time-field.tsx'
import { type Draft, EXPIRIES } from './draft.ts'

const T = API_KEYS_TEXTS

type ExpiryProps = Readonly<{
  draft: Pick<Draft, 'expiry' | 'expiresAt'>
  problem: string | undefined
  onChange: (changes: Partial<Draft>) => void
}>

export const ExpiryFields = ({ draft: { expiry, expiresAt }, problem, onChange }: ExpiryProps) => (
  <>
    <Select
      label={T.fields.expiry}
      value={expiry}
      of={EXPIRIES}
      nameOf={(one) => T.expiries[one]}
      onChange={(chosen) => onChange({ expiry: chosen })}
    />
    {expiry === 'at' && (
      <TimeField
        label={T.fields.expiresAt}
        required
        min={new Date().toISOString()}
        value={expiresAt}
        problem={problem}
        onChange={(at) => onChange({ expiresAt: at })}
      />
    )}
  </>
)
