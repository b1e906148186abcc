/** The content of the display menu; loaded when it is first opened. */
import { useId } from 'react'
import { COMMON_TEXTS } from '../texts/common.ts'
import { DENSITIES, withColumn } from './display.ts'
import type { DisplayMenuProps } from './display-button.tsx'
import { Popover } from './popover.tsx'
import type { PopoverProps } from './popover-button.tsx'

const T = COMMON_TEXTS.display

export const DisplayMenu = ({ display, columns, onChange, ...popover }: DisplayMenuProps & PopoverProps) => (
  <Popover {...popover} label={T.title}>
    <Densities display={display} onChange={onChange} />
    <fieldset className="panel-group">
      <legend>{T.columns}</legend>
      {columns.map(([column, name]) => (
        <label key={column} className="panel-check">
          <input
            type="checkbox"
            checked={!display.hidden.includes(column)}
            onChange={(event) => onChange(withColumn(display, column, event.target.checked))}
          />
          {name}
        </label>
      ))}
      <p className="field-about">{T.hint}</p>
    </fieldset>
  </Popover>
)

function Densities({ display, onChange }: Pick<DisplayMenuProps, 'display' | 'onChange'>) {
  const name = useId()
  return (
    <fieldset className="panel-group">
      <legend>{T.density}</legend>
      <span className="segments">
        {DENSITIES.map((density) => (
          <label key={density}>
            <input
              type="radio"
              name={name}
              className="visually-hidden"
              checked={density === display.density}
              onChange={() => onChange({ ...display, density })}
            />
            {T.densities[density]}
          </label>
        ))}
      </span>
    </fieldset>
  )
}
