/** The fields that one address and an import have in common. */
import { TEXTS } from '../../texts.ts'
import { Options } from '../../ui/choices.tsx'
import { Field } from '../../ui/parts.tsx'
import { problemOf } from '../../ui/problems.tsx'
import { PERSONAL_REASONS, type PersonalReason } from './suppression.ts'

const T = TEXTS.suppressions

export type Terms = Readonly<{ reason: PersonalReason; note: string; until: string }>
export const NO_TERMS: Terms = { reason: 'manual', note: '', until: '' }

type TermsProps = Readonly<{
  terms: Terms
  noteLabel?: string
  error: unknown
  onChange: (terms: Terms) => void
}>

export const TermsFields = ({ terms, noteLabel = T.note, error, onChange }: TermsProps) => (
  <>
    <Field label={T.reason}>
      <select
        value={terms.reason}
        onChange={(event) => onChange({ ...terms, reason: event.target.value as PersonalReason })}
      >
        <Options of={PERSONAL_REASONS} nameOf={(one) => T.reasons[one]} />
      </select>
    </Field>
    <Field label={noteLabel} problem={problemOf(error, '/note')}>
      <input
        value={terms.note}
        maxLength={200}
        placeholder={T.noteHint}
        onChange={(event) => onChange({ ...terms, note: event.target.value })}
      />
    </Field>
    <Field label={T.until} problem={problemOf(error, '/expires_at')}>
      <input
        type="datetime-local"
        value={terms.until}
        onChange={(event) => onChange({ ...terms, until: event.target.value })}
      />
    </Field>
  </>
)
