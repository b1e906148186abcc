/** The list of messages, newest first, updated live. */
import { PAGES_TEXTS } from '../texts/pages.ts'
import { DisplayButton } from '../ui/display-button.tsx'
import { PageHead } from '../ui/parts.tsx'
import { useParams } from '../ui/query-string.ts'
import { HIDEABLE } from './messages/columns.ts'
import { useMessagesDisplay } from './messages/display.ts'
import { ExportButton } from './messages/export-button.tsx'
import { FilterBar } from './messages/filter-bar.tsx'
import { FILTER_NAMES } from './messages/filters.ts'
import { Results } from './messages/results.tsx'
import '../styles/messages.css'

export function Messages() {
  const [filters, change] = useParams(FILTER_NAMES)
  const [display, setDisplay] = useMessagesDisplay()
  return (
    <>
      <PageHead title={PAGES_TEXTS.messages} actions={<ExportButton filters={filters} />} />
      <FilterBar filters={filters} onChange={change}>
        <DisplayButton display={display} columns={HIDEABLE} onChange={setDisplay} />
      </FilterBar>
      <Results filters={filters} display={display} onChange={change} />
    </>
  )
}
