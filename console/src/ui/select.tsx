/** A labelled select with its own list, which also opens inside a dialog. */
import '../styles/select.css'
import { Check, ChevronsUpDown } from 'lucide-react'
import { type Key, type ReactNode, useState } from 'react'
import {
  Select as AriaSelect,
  Button,
  FieldError,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  SelectValue,
  Text,
} from 'react-aria-components'

type SelectProps<Choice extends string | number> = Readonly<{
  label: string
  /** Screen readers still get the label. */
  isLabelHidden?: boolean
  value: Choice
  of: readonly Choice[]
  nameOf?: (choice: Choice) => string
  /** A second line below the name of a choice. */
  aboutOf?: (choice: Choice) => string | undefined
  /** Shown below the field. */
  about?: ReactNode
  problem?: string | undefined
  disabled?: boolean
  className?: string
  onChange: (choice: Choice) => void
}>

export function Select<Choice extends string | number>({ of: choices, onChange, ...props }: SelectProps<Choice>) {
  const {
    label,
    isLabelHidden = false,
    value,
    nameOf = String,
    aboutOf,
    about,
    problem,
    disabled,
    className = '',
  } = props
  const [root, setRoot] = useState<HTMLDivElement | null>(null)
  const choose = (key: Key | null): void => {
    const chosen = choices.find((choice) => toKey(choice) === key)
    if (chosen !== undefined) onChange(chosen)
  }
  return (
    <AriaSelect
      ref={setRoot}
      className={`field select ${className}`}
      selectedKey={toKey(value)}
      onSelectionChange={choose}
      isDisabled={disabled === true}
      isInvalid={problem !== undefined}
    >
      <Label className={isLabelHidden ? 'visually-hidden' : ''}>{label}</Label>
      <Button className="select-button">
        <SelectValue className="select-value">{nameOf(value)}</SelectValue>
        <ChevronsUpDown aria-hidden="true" />
      </Button>
      {about !== undefined && (
        <Text slot="description" className="field-about">
          {about}
        </Text>
      )}
      <FieldError className="problem">{problem}</FieldError>
      <Popover className="popover select-popover" offset={4} {...portalOf(root)}>
        <ListBox className="select-list">
          {choices.map((choice) => (
            <ListBoxItem key={toKey(choice)} id={toKey(choice)} textValue={nameOf(choice)} className="select-item">
              <Check aria-hidden="true" />
              <Text slot="label">{nameOf(choice)}</Text>
              {aboutOf?.(choice) !== undefined && <Text slot="description">{aboutOf(choice)}</Text>}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </AriaSelect>
  )
}

type OptionalProps<Choice extends string> = Omit<SelectProps<Choice>, 'value' | 'aboutOf' | 'onChange'> &
  Readonly<{
    value: Choice | undefined
    /** The name of choosing nothing. */
    none: string
    onChange: (choice: Choice | undefined) => void
  }>

/** Also offers a value from the URL that is not among the choices, such as a removed provider. */
export function OptionalSelect<Choice extends string>({ none, of: choices, ...props }: OptionalProps<Choice>) {
  const { value, nameOf = String, onChange, ...rest } = props
  const known = value === undefined || choices.includes(value) ? choices : [...choices, value]
  return (
    <Select<Choice | typeof NOTHING>
      {...rest}
      value={value ?? NOTHING}
      of={[NOTHING, ...known]}
      nameOf={(choice) => (choice === NOTHING ? none : nameOf(choice))}
      onChange={(choice) => onChange(choice === NOTHING ? undefined : choice)}
    />
  )
}

const NOTHING = ' '

/** Keys of collections must not be empty. */
const toKey = (choice: string | number): string => `=${choice}`

/** Everything outside an open dialog is inert, so a list of the dialog belongs into it. */
export function portalOf(within: Element | null): { UNSTABLE_portalContainer?: Element } {
  const dialog = within?.closest('dialog')
  return dialog ? { UNSTABLE_portalContainer: dialog } : {}
}
