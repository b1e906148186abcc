/** Search and filters. The less common filters are collapsed. */
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { api, unwrap } from '../../api/client.ts'
import { TEXTS } from '../../texts.ts'
import { Button } from '../../ui/parts.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { ChoiceFilter, TextFilter, TimeFilter, UnknownFilter } from './filter-fields.tsx'
import { CHOICES, type ChangeFilters, type Filters } from './filters.ts'

const T = TEXTS.messages

type BarProps = Readonly<{ filters: Filters; onChange: ChangeFilters }>

export function FilterBar({ filters, onChange }: BarProps) {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  return (
    <search className="messages-filters">
      <div className="messages-search">
        <SearchField
          value={filters.q}
          placeholder={T.searchHint}
          onChange={(q) => onChange({ q: q.trim() }, 'replace')}
        />
        <ChoiceFilter name="channel" choices={CHOICES.channel} filters={filters} onChange={onChange} />
        <Button aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
          {T.filters}
        </Button>
      </div>
      <StatusFilter filters={filters} onChange={onChange} />
      <div id={id} className="filters" hidden={!isOpen}>
        {isOpen && <MoreFilters filters={filters} onChange={onChange} />}
      </div>
    </search>
  )
}

/** Toggles a status filter. */
const StatusFilter = ({ filters, onChange }: BarProps) => (
  <fieldset className="messages-statuses">
    <legend className="visually-hidden">{T.names.status}</legend>
    {CHOICES.status.map((status) => {
      const isOn = filters.status === status
      const toggle = (): void => onChange({ status: isOn ? undefined : status })
      return (
        <Button key={status} data-status={status} aria-pressed={isOn} onClick={toggle}>
          {status}
        </Button>
      )
    })}
  </fieldset>
)

function MoreFilters(bar: BarProps) {
  const providers = useQuery({ queryKey: ['providers'], queryFn: () => unwrap(api.GET('/v1/providers')) })
  const names = providers.data?.items.map(({ name }) => name) ?? []
  return (
    <>
      <ChoiceFilter name="provider" choices={names} {...bar} />
      <ChoiceFilter name="lane" choices={CHOICES.lane} {...bar} />
      <ChoiceFilter name="handoff_state" choices={CHOICES.handoff_state} {...bar} />
      <ChoiceFilter name="provider_state" choices={CHOICES.provider_state} {...bar} />
      <TextFilter name="to" {...bar} />
      <TextFilter name="tag" {...bar} />
      <TextFilter name="metadata" {...bar} />
      <TextFilter name="provider_message_id" {...bar} />
      <UnknownFilter {...bar} />
      <TimeFilter name="created_from" {...bar} />
      <TimeFilter name="created_to" {...bar} />
    </>
  )
}
