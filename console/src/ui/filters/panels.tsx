/** The popovers that add and edit filters; loaded when one is first opened. */
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { ListBox, ListBoxItem } from 'react-aria-components'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { Popover } from '../popover.tsx'
import type { PopoverProps } from '../popover-button.tsx'
import { Editor } from './editors.tsx'
import { type Filter, keyOf } from './filter.ts'
import type { FilterProps, FiltersProps } from './filter-button.tsx'

const T = COMMON_TEXTS.filters

export function AddFilter({ filters, values, onChange, ...popover }: FiltersProps & PopoverProps) {
  const [chosen, choose] = useState<Filter>()
  return (
    <Popover {...popover} label={chosen?.label ?? T.add}>
      {chosen === undefined ? (
        <Kinds filters={filters} onChoose={choose} />
      ) : (
        <Editor filter={chosen} values={values} onChange={onChange} onDone={popover.onClose} />
      )}
    </Popover>
  )
}

export const EditFilter = ({ filter, values, onChange, ...popover }: FilterProps & PopoverProps) => (
  <Popover {...popover} label={filter.label}>
    <Editor filter={filter} values={values} onChange={onChange} onDone={popover.onClose} />
  </Popover>
)

type KindsProps = Readonly<{ filters: readonly Filter[]; onChoose: (filter: Filter) => void }>

const Kinds = ({ filters, onChoose }: KindsProps) => (
  <ListBox
    aria-label={T.add}
    className="panel-list"
    autoFocus="first"
    onAction={(key) => {
      const chosen = filters.find((filter) => keyOf(filter) === key)
      if (chosen !== undefined) onChoose(chosen)
    }}
  >
    {filters.map((filter) => (
      <ListBoxItem key={keyOf(filter)} id={keyOf(filter)} textValue={filter.label} className="panel-item">
        <filter.icon aria-hidden="true" />
        {filter.label}
        <ChevronRight aria-hidden="true" className="panel-next" />
      </ListBoxItem>
    ))}
  </ListBox>
)
