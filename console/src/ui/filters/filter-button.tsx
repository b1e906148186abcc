/** The button that adds a filter, and the active filters as chips. */
import '../../styles/filters.css'
import { ListFilter, X } from 'lucide-react'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { onDemand } from '../on-demand.ts'
import { Button } from '../parts.tsx'
import { PopoverButton } from '../popover-button.tsx'
import { type ChangeValues, type Filter, type FilterValues, isActive, keyOf, toValueText, without } from './filter.ts'

const T = COMMON_TEXTS.filters

export type FiltersProps = Readonly<{ filters: readonly Filter[]; values: FilterValues; onChange: ChangeValues }>
export type FilterProps = Readonly<{ filter: Filter; values: FilterValues; onChange: ChangeValues }>

const ADD = onDemand(async () => (await import('./panels.tsx')).AddFilter)
const EDIT = onDemand(async () => (await import('./panels.tsx')).EditFilter)

export const FilterButton = (props: FiltersProps) => (
  <PopoverButton code={ADD} given={props}>
    <ListFilter aria-hidden="true" />
    {T.action}
  </PopoverButton>
)

export function FilterChips({ filters, values, onChange }: FiltersProps) {
  const active = filters.filter((filter) => isActive(filter, values))
  if (active.length === 0) return null
  return (
    <ul className="chips" aria-label={T.active}>
      {active.map((filter) => (
        <Chip key={keyOf(filter)} filter={filter} values={values} onChange={onChange} />
      ))}
    </ul>
  )
}

function Chip(props: FilterProps) {
  const { filter, values, onChange } = props
  const value = toValueText(filter, values)
  const words = `${filter.label}: ${value}`
  return (
    <li className="chip">
      <PopoverButton code={EDIT} given={props} kind="plain">
        <span className="visually-hidden">{T.edit} </span>
        <span className="chip-name">{filter.label}: </span>
        <span className="chip-value">{value}</span>
      </PopoverButton>
      <Button
        kind="plain"
        className="icon-only"
        aria-label={T.remove(words)}
        title={T.remove(words)}
        onClick={() => onChange(without(filter))}
      >
        <X aria-hidden="true" />
      </Button>
    </li>
  )
}
