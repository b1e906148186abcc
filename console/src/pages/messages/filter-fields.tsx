/** One control per kind of filter. Text is applied on Enter or on blur. */
import type { FormEvent } from 'react'
import { TEXTS } from '../../texts.ts'
import { ChoiceField } from '../../ui/choices.tsx'
import { TimeInput, useDraft } from '../../ui/filter-inputs.tsx'
import { Field } from '../../ui/parts.tsx'
import { type ChangeFilters, type FilterName, type Filters, toChoice, toValue } from './filters.ts'

const T = TEXTS.messages

type FieldProps<Name extends FilterName> = Readonly<{ name: Name; filters: Filters; onChange: ChangeFilters }>

type ChoiceFilterProps = FieldProps<FilterName> & Readonly<{ choices: readonly string[] }>

export const ChoiceFilter = ({ name, choices, filters, onChange }: ChoiceFilterProps) => (
  <ChoiceField
    label={T.names[name]}
    value={filters[name]}
    choices={choices}
    nameOf={toChoice}
    onChange={(value) => onChange({ [name]: value })}
  />
)

export function TextFilter({ name, filters, onChange }: FieldProps<'to' | 'tag' | 'metadata' | 'provider_message_id'>) {
  const [draft, setDraft] = useDraft(filters[name] ?? '')
  const finish = (): void => {
    const value = toValue(name, draft)
    setDraft(value)
    if (value !== (filters[name] ?? '')) onChange({ [name]: value })
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    finish()
  }
  return (
    <form onSubmit={submit}>
      <Field label={T.names[name]}>
        <input
          value={draft}
          placeholder={T.hints[name]}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setDraft(event.target.value)}
          onBlur={finish}
        />
      </Field>
    </form>
  )
}

export const TimeFilter = ({ name, filters, onChange }: FieldProps<'created_from' | 'created_to'>) => (
  <Field label={T.names[name]} className="messages-time">
    <TimeInput value={filters[name]} onCommit={(value) => onChange({ [name]: value }, 'replace')} />
  </Field>
)

export const UnknownFilter = ({ filters, onChange }: Omit<FieldProps<'unknown'>, 'name'>) => (
  <label className="messages-check">
    <input
      type="checkbox"
      checked={filters.unknown === 'true'}
      onChange={(event) => onChange({ unknown: event.target.checked ? 'true' : undefined })}
    />
    {T.names.unknown}
  </label>
)
