/** The filters of the dead letters, kept in the URL. */
import { TEXTS } from '../../texts.ts'
import { ChoiceField } from '../../ui/choices.tsx'
import { TextInput } from '../../ui/filter-inputs.tsx'
import { Field } from '../../ui/parts.tsx'
import type { ChangeParams } from '../../ui/query-string.ts'
import { SearchField } from '../../ui/search-field.tsx'
import { TimeFilter } from '../messages/filter-fields.tsx'
import type { LetterFilters } from './letters.ts'

const T = TEXTS.deadLetters.filters

type FiltersProps = Readonly<{
  filters: LetterFilters
  providers: readonly string[]
  onChange: ChangeParams<keyof LetterFilters>
}>

export function Filters({ filters, providers, onChange }: FiltersProps) {
  const text = (name: keyof LetterFilters) => ({
    value: filters[name],
    onCommit: (value: string) => onChange({ [name]: value }),
  })
  return (
    <search aria-label={T.label}>
      <div className="filters">
        <SearchField value={filters.q} placeholder={T.qHint} onChange={(q) => onChange({ q }, 'replace')} />
        <Field label={T.to}>
          <TextInput {...text('to')} placeholder="+351912345678" />
        </Field>
        <Choice name="channel" filters={filters} values={['sms', 'email']} onChange={onChange} />
        <Choice name="provider" filters={filters} values={providers} onChange={onChange} />
      </div>
      <details className="more-filters" open={MORE.some((name) => filters[name] !== undefined)}>
        <summary>{T.more}</summary>
        <div className="filters">
          <Field label={T.tag}>
            <TextInput {...text('tag')} />
          </Field>
          <Choice name="lane" filters={filters} values={['otp', 'transactional', 'bulk']} onChange={onChange} />
          <TimeFilter name="created_from" filters={filters} onChange={onChange} />
          <TimeFilter name="created_to" filters={filters} onChange={onChange} />
        </div>
      </details>
    </search>
  )
}

/** Rarely used filters, collapsed unless one is set. */
const MORE = ['tag', 'lane', 'created_from', 'created_to'] as const

type OneOf = Omit<FiltersProps, 'providers'>

type ChoiceProps = OneOf & Readonly<{ name: 'channel' | 'provider' | 'lane'; values: readonly string[] }>

const Choice = ({ name, filters, values, onChange }: ChoiceProps) => (
  <ChoiceField
    label={T[name]}
    value={filters[name]}
    choices={values}
    onChange={(value) => onChange({ [name]: value })}
  />
)
