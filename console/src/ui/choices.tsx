/** Options of a select, and a select in which nothing needs to be chosen. */
import { TEXTS } from '../texts.ts'
import { Field } from './parts.tsx'

type OptionsProps<Choice extends string | number> = Readonly<{
  of: readonly Choice[]
  nameOf: (choice: Choice) => string
}>

export const Options = <Choice extends string | number>({ of: choices, nameOf }: OptionsProps<Choice>) =>
  choices.map((choice) => (
    <option key={choice} value={choice}>
      {nameOf(choice)}
    </option>
  ))

type ChoiceFieldProps<Choice extends string> = Readonly<{
  label: string
  value: Choice | undefined
  choices: readonly Choice[]
  nameOf?: (choice: Choice) => string
  onChange: (value: string) => void
}>

/** Also offers a value from the URL that is not among the choices, such as a removed provider. */
export function ChoiceField<Choice extends string>(field: ChoiceFieldProps<Choice>) {
  const { label, value, choices, nameOf = String, onChange } = field
  const offered = value === undefined || choices.includes(value) ? choices : [...choices, value]
  return (
    <Field label={label}>
      <select value={value ?? ''} onChange={(event) => onChange(event.target.value)}>
        <option value="">{TEXTS.common.any}</option>
        <Options of={offered} nameOf={nameOf} />
      </select>
    </Field>
  )
}
