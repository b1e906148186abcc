/** One control for each kind of filter. What is typed counts when one is done with it: on Enter, or on leaving. */
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
  // A picker is not left when something was picked, and a year typed digit by digit is four years.
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

/** What is being typed, until the value itself is changed from elsewhere. */
function useDraft(value: string): readonly [string, (draft: string) => void] {
  const [draft, setDraft] = useState(value)
  const [known, setKnown] = useState(value)
  if (known !== value) {
    setKnown(value)
    setDraft(value)
  }
  return [draft, setDraft]
}
