/** The filters of the audit log, kept in the URL. */
import { AUDIT_LOG_TEXTS } from '../../texts/audit-log.ts'
import { ChoiceField } from '../../ui/choices.tsx'
import { TextInput } from '../../ui/filter-inputs.tsx'
import { Button, Field } from '../../ui/parts.tsx'
import type { ChangeParams } from '../../ui/query-string.ts'
import { TimeField } from '../../ui/time-field.tsx'
import { ACTIONS } from './actions.ts'
import { FILTERS, type Filters } from './entry.ts'

const T = AUDIT_LOG_TEXTS.filters

type BarProps = Readonly<{
  filters: Filters
  /** Only operators see more than one tenant. */
  hasTenants: boolean
  onChange: ChangeParams<keyof Filters>
}>

export function FilterBar({ filters, hasTenants, onChange }: BarProps) {
  const isFiltered = FILTERS.some((name) => filters[name] !== undefined)
  const clear = (): void => onChange(Object.fromEntries(FILTERS.map((name) => [name, undefined])))
  const text = (name: 'actor' | 'target' | 'tenant_id') => (
    <Field label={T[name]}>
      <TextInput value={filters[name]} placeholder={T.hints[name]} onCommit={(value) => onChange({ [name]: value })} />
    </Field>
  )
  const time = (name: 'from' | 'to') => (
    <TimeField
      label={T[name]}
      className="audit-time"
      value={filters[name]}
      onChange={(value) => onChange({ [name]: value }, 'replace')}
    />
  )
  return (
    <search aria-label={T.label} className="filters audit-filters">
      <ChoiceField
        label={T.action}
        value={filters.action}
        choices={ACTIONS}
        onChange={(action) => onChange({ action })}
      />
      {text('actor')}
      {text('target')}
      {hasTenants && text('tenant_id')}
      {time('from')}
      {time('to')}
      {isFiltered && <Button onClick={clear}>{T.clear}</Button>}
    </search>
  )
}
