/** Search, status, the other filters as chips, and what can be done with the list. */
import { Link2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { MESSAGES_TEXTS } from '../../texts/messages.ts'
import { FilterButton, FilterChips } from '../../ui/filters/filter-button.tsx'
import { Button } from '../../ui/parts.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { toStateText } from '../../ui/state-text.ts'
import { showToast } from '../../ui/toast.tsx'
import { activeFilters, CHOICES, type ChangeFilters, type Filters, NO_FILTERS, OFFERED } from './filters.ts'

const T = MESSAGES_TEXTS

type BarProps = Readonly<{ filters: Filters; onChange: ChangeFilters }>

export function FilterBar({ filters, onChange, children }: BarProps & Readonly<{ children: ReactNode }>) {
  return (
    <search className="messages-filters">
      <div className="messages-search">
        <SearchField
          value={filters.q}
          placeholder={T.searchHint}
          onChange={(q) => onChange({ q: q.trim() }, 'replace')}
        />
        <FilterButton filters={OFFERED} values={filters} onChange={onChange} />
        {children}
      </div>
      <div className="messages-active">
        <StatusFilter filters={filters} onChange={onChange} />
        <FilterChips filters={OFFERED} values={filters} onChange={onChange} />
        {activeFilters(filters).length > 0 && <Active onChange={onChange} />}
      </div>
    </search>
  )
}

/** One status, or all. */
const StatusFilter = ({ filters, onChange }: BarProps) => (
  <fieldset className="segments messages-statuses">
    <legend className="visually-hidden">{T.names.status}</legend>
    {[undefined, ...CHOICES.status].map((status) => (
      <button
        key={status ?? ''}
        type="button"
        data-status={status}
        aria-pressed={filters.status === status}
        onClick={() => onChange({ status })}
      >
        {status === undefined ? T.anyStatus : toStateText(status)}
      </button>
    ))}
  </fieldset>
)

const Active = ({ onChange }: Pick<BarProps, 'onChange'>) => (
  <>
    <Button kind="plain" onClick={() => onChange(NO_FILTERS)}>
      {T.clear}
    </Button>
    <Button
      kind="plain"
      className="icon-only"
      aria-label={T.copyLink}
      title={T.copyLink}
      onClick={() => void copyLink()}
    >
      <Link2 aria-hidden="true" />
    </Button>
  </>
)

/** Browsers allow clipboard access only over HTTPS or on localhost. */
async function copyLink(): Promise<void> {
  try {
    await navigator.clipboard.writeText(location.href)
    showToast(T.linkCopied)
  } catch {
    showToast(T.linkNotCopied, 'bad')
  }
}
