/** A select in which nothing needs to be chosen. */
import { COMMON_TEXTS } from '../texts/common.ts'
import { OptionalSelect } from './select.tsx'

type ChoiceFieldProps<Choice extends string> = Readonly<{
  label: string
  value: Choice | undefined
  choices: readonly Choice[]
  nameOf?: (choice: Choice) => string
  onChange: (value: Choice | undefined) => void
}>

export const ChoiceField = <Choice extends string>({ choices, ...props }: ChoiceFieldProps<Choice>) => (
  <OptionalSelect {...props} of={choices} none={COMMON_TEXTS.any} />
)
