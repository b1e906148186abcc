/** The filters of the dead letters, kept in the URL. */
import { DEAD_LETTERS_TEXTS } from '../../texts/dead-letters.ts'
import type { Filter } from '../../ui/filters/filter.ts'
import { FilterButton, FilterChips } from '../../ui/filters/filter-button.tsx'
import type { ChangeParams } from '../../ui/query-string.ts'
import { SearchField } from '../../ui/search-field.tsx'
import {
  CHANNEL_FILTER,
  CREATED_FILTER,
  LANE_FILTER,
  PROVIDER_FILTER,
  RECIPIENT_FILTER,
  TAG_FILTER,
} from '../messages/filters.ts'
import type { LetterFilters } from './letters.ts'

const T = DEAD_LETTERS_TEXTS.filters

const OFFERED: readonly Filter[] = [
  CHANNEL_FILTER,
  RECIPIENT_FILTER,
  CREATED_FILTER,
  PROVIDER_FILTER,
  LANE_FILTER,
  TAG_FILTER,
]

type FiltersProps = Readonly<{ filters: LetterFilters; onChange: ChangeParams<keyof LetterFilters> }>

export const Filters = ({ filters, onChange }: FiltersProps) => (
  <search aria-label={T.label} className="letter-filters">
    <SearchField value={filters.q} placeholder={T.qHint} onChange={(q) => onChange({ q }, 'replace')} />
    <FilterButton filters={OFFERED} values={filters} onChange={onChange} />
    <FilterChips filters={OFFERED} values={filters} onChange={onChange} />
  </search>
)
