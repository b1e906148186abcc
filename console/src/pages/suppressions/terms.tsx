/** The fields that one address and an import have in common. */
import { SUPPRESSIONS_TEXTS } from '../../texts/suppressions.ts'
import { Field } from '../../ui/parts.tsx'
import { problemOf } from '../../ui/problems.tsx'
import { Select } from '../../ui/select.tsx'
import { TimeField } from '../../ui/time-field.tsx'
import { PERSONAL_REASONS, type PersonalReason } from './suppression.ts'

const T = SUPPRESSIONS_TEXTS

export type Terms = Readonly<{ reason: PersonalReason; note: string; until: string | undefined }>
export const NO_TERMS: Terms = { reason: 'manual', note: '', until: undefined }

type TermsProps = Readonly<{
  terms: Terms
  noteLabel?: string
  error: unknown
  onChange: (terms: Terms) => void
}>

export const TermsFields = ({ terms, noteLabel = T.note, error, onChange }: TermsProps) => (
  <>
    <Select
      label={T.reason}
      value={terms.reason}
      of={PERSONAL_REASONS}
      nameOf={(one) => T.reasons[one]}
      onChange={(reason) => onChange({ ...terms, reason })}
    />
    <Field label={noteLabel} problem={problemOf(error, '/note')}>
      <input
        value={terms.note}
        maxLength={200}
        placeholder={T.noteHint}
        onChange={(event) => onChange({ ...terms, note: event.target.value })}
      />
    </Field>
    <TimeField
      label={T.until}
      value={terms.until}
      problem={problemOf(error, '/expires_at')}
      onChange={(until) => onChange({ ...terms, until })}
    />
  </>
)
