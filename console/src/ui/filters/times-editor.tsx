/** Chooses a range of time: a common one, which is applied at once, or any. */
import { useEffect, useRef, useState } from 'react'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { Button } from '../parts.tsx'
import { TimeField } from '../time-field.tsx'
import type { EditorOf } from './editors.tsx'
import { PRESETS, type Preset, toRange } from './presets.ts'

const T = COMMON_TEXTS.filters

export function TimesEditor({ filter, values, onChange, onDone }: EditorOf<'times'>) {
  const [from, setFrom] = useState(values[filter.from])
  const [to, setTo] = useState(values[filter.to])
  const isReversed = from !== undefined && to !== undefined && from >= to
  const apply = (range: Readonly<{ from: string | undefined; to: string | undefined }>): void => {
    onChange({ [filter.from]: range.from, [filter.to]: range.to })
    onDone()
  }
  return (
    <div className="panel-form">
      <Presets onChoose={(preset) => apply(toRange(preset, new Date()))} />
      <fieldset className="panel-group panel-range">
        <legend>{T.custom}</legend>
        <TimeField label={T.from} value={from} onChange={setFrom} />
        <TimeField label={T.to} value={to} problem={isReversed ? T.reversed : undefined} onChange={setTo} />
      </fieldset>
      <Button
        kind="primary"
        disabled={isReversed || (from === undefined && to === undefined)}
        onClick={() => apply({ from, to })}
      >
        {T.apply}
      </Button>
    </div>
  )
}

function Presets({ onChoose }: Readonly<{ onChoose: (preset: Preset) => void }>) {
  const first = useRef<HTMLButtonElement>(null)
  useEffect(() => first.current?.focus(), [])
  return (
    <div className="panel-presets">
      {PRESETS.map((preset, index) => (
        <Button key={preset} ref={index === 0 ? first : null} onClick={() => onChoose(preset)}>
          {T.presets[preset]}
        </Button>
      ))}
    </div>
  )
}
