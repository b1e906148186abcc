/** One control per kind of filter. Text is applied on Enter or on blur. */
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { TEXTS } from '../../texts.ts'
import { ChoiceField } from '../../ui/choices.tsx'
import { Field } from '../../ui/parts.tsx'
import { fromLocalTime, toLocalTime } from '../../ui/time.tsx'
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

export function TextFilter({ name, filters, onChange }: FieldProps<'to' | 'tag' | 'provider_message_id'>) {
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

const TYPING_MS = 700

export function TimeFilter({ name, filters, onChange }: FieldProps<'created_from' | 'created_to'>) {
  const value = toLocalTime(filters[name])
  const [draft, setDraft] = useDraft(value)
  const change = useRef(onChange)
  change.current = onChange
  // Date pickers do not blur when a date is picked, and a typed year passes through four values.
  useEffect(() => {
    if (draft === value) return
    const timer = setTimeout(() => change.current({ [name]: fromLocalTime(draft) }, 'replace'), TYPING_MS)
    return () => clearTimeout(timer)
  }, [draft, value, name])
  return (
    <Field label={T.names[name]} className="messages-time">
      <input type="datetime-local" value={draft} onChange={(event) => setDraft(event.target.value)} />
    </Field>
  )
}

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

/** The value being typed. Resets when the value changes from outside. */
function useDraft(value: string): readonly [string, (draft: string) => void] {
  const [draft, setDraft] = useState(value)
  const [lastValue, setLastValue] = useState(value)
  if (lastValue !== value) {
    setLastValue(value)
    setDraft(value)
  }
  return [draft, setDraft]
}
