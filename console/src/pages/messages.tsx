/** The list of messages, newest first, updated live. */
import { TEXTS } from '../texts.ts'
import { PageHead } from '../ui/parts.tsx'
import { useParams } from '../ui/query-string.ts'
import { ActiveFilters } from './messages/active-filters.tsx'
import { FilterBar } from './messages/filter-bar.tsx'
import { FILTER_NAMES } from './messages/filters.ts'
import { Results } from './messages/results.tsx'
import '../styles/messages.css'

export function Messages() {
  const [filters, change] = useParams(FILTER_NAMES)
  return (
    <>
      <PageHead title={TEXTS.pages.messages} />
      <FilterBar filters={filters} onChange={change} />
      <ActiveFilters filters={filters} onChange={change} />
      <Results filters={filters} onChange={change} />
    </>
  )
}
