/** One of a few choices, shown side by side. With icons, the names are for screen readers and on hover. */
import type { LucideIcon } from 'lucide-react'
import { useId } from 'react'

type SegmentsProps<Choice extends string> = Readonly<{
  label: string
  isLabelShown?: boolean
  /** Of the radio buttons. */
  name: string
  value: Choice
  of: readonly Choice[]
  nameOf: (choice: Choice) => string
  iconOf?: (choice: Choice) => LucideIcon
  onChange: (choice: Choice) => void
}>

export function Segments<Choice extends string>({
  of: choices,
  nameOf,
  iconOf,
  onChange,
  ...props
}: SegmentsProps<Choice>) {
  const { label, isLabelShown = false, name, value } = props
  const id = useId()
  return (
    <div className="segments-field" role="radiogroup" aria-labelledby={id}>
      <span id={id} className={isLabelShown ? 'soft' : 'visually-hidden'}>
        {label}
      </span>
      <span className={iconOf === undefined ? 'segments' : 'segments icons'}>
        {choices.map((choice) => {
          const Icon = iconOf?.(choice)
          return (
            <label key={choice} title={Icon && nameOf(choice)}>
              <input
                type="radio"
                name={name}
                className="visually-hidden"
                checked={choice === value}
                onChange={() => onChange(choice)}
              />
              {Icon && <Icon aria-hidden="true" />}
              <span className={Icon && 'visually-hidden'}>{nameOf(choice)}</span>
            </label>
          )
        })}
      </span>
    </div>
  )
}
