/** What of the dead letters is shown: all of it stands in the address. */
import { useEffect, useState } from 'react'
import { TEXTS } from '../../texts.ts'
import { ChoiceField } from '../../ui/choices.tsx'
import { Field } from '../../ui/parts.tsx'
import type { ChangeParams } from '../../ui/query-string.ts'
import { SearchField } from '../../ui/search-field.tsx'
import { TimeFilter } from '../messages/filter-fields.tsx'
import type { Sought } from './letters.ts'

const T = TEXTS.deadLetters.filters

type FiltersProps = Readonly<{ sought: Sought; providers: readonly string[]; onChange: ChangeParams<keyof Sought> }>

export function Filters({ sought, providers, onChange }: FiltersProps) {
  const text = (name: keyof Sought) => ({
    value: sought[name],
    onCommit: (value: string) => onChange({ [name]: value }),
  })
  return (
    <search aria-label={T.label}>
      <div className="filters">
        <SearchField value={sought.q} placeholder={T.qHint} onChange={(q) => onChange({ q }, 'replace')} />
        <Field label={T.to}>
          <TextInput {...text('to')} placeholder="+351912345678" />
        </Field>
        <Choice name="channel" sought={sought} values={['sms', 'email']} onChange={onChange} />
        <Choice name="provider" sought={sought} values={providers} onChange={onChange} />
      </div>
      <details className="more-filters" open={MORE.some((name) => sought[name] !== undefined)}>
        <summary>{T.more}</summary>
        <div className="filters">
          <Field label={T.tag}>
            <TextInput {...text('tag')} />
          </Field>
          <Choice name="lane" sought={sought} values={['otp', 'transactional', 'bulk']} onChange={onChange} />
          <TimeFilter name="created_from" filters={sought} onChange={onChange} />
          <TimeFilter name="created_to" filters={sought} onChange={onChange} />
        </div>
      </details>
    </search>
  )
}

/** Seldom needed, and so behind a click while they say nothing. */
const MORE = ['tag', 'lane', 'created_from', 'created_to'] as const

type TextInputProps = Readonly<{
  value: string | undefined
  onCommit: (value: string) => void
  placeholder?: string
}>

/** Takes what was written when one presses Enter or goes on: half a number finds nothing. */
function TextInput({ value = '', onCommit, ...rest }: TextInputProps) {
  const [written, setWritten] = useState(value)
  useEffect(() => setWritten(value), [value])
  const commit = (): void => {
    if (written.trim() !== value) onCommit(written.trim())
  }
  return (
    <input
      {...rest}
      type="search"
      value={written}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => setWritten(event.target.value)}
      onBlur={commit}
      onKeyDown={(event) => event.key === 'Enter' && commit()}
    />
  )
}

type OneOf = Omit<FiltersProps, 'providers'>

type ChoiceProps = OneOf & Readonly<{ name: 'channel' | 'provider' | 'lane'; values: readonly string[] }>

const Choice = ({ name, sought, values, onChange }: ChoiceProps) => (
  <ChoiceField
    label={T[name]}
    value={sought[name]}
    choices={values}
    onChange={(value) => onChange({ [name]: value })}
  />
)
