/** One editor per kind of filter. A choice is applied at once, a text on Enter. */
import { useQuery } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { ListBox, ListBoxItem } from 'react-aria-components'
import { api, unwrap } from '../../api/client.ts'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { Button, Failure, Loading } from '../parts.tsx'
import type { Filter } from './filter.ts'
import type { FilterProps } from './filter-button.tsx'
import { TimesEditor } from './times-editor.tsx'

const T = COMMON_TEXTS.filters

export type EditorProps = FilterProps & Readonly<{ onDone: () => void }>
export type EditorOf<Kind extends Filter['kind']> = Omit<EditorProps, 'filter'> &
  Readonly<{ filter: Extract<Filter, { kind: Kind }> }>

export function Editor({ filter, ...rest }: EditorProps) {
  switch (filter.kind) {
    case 'choice':
      return <ChoiceEditor filter={filter} {...rest} />
    case 'provider':
      return <ProviderEditor filter={filter} {...rest} />
    case 'text':
      return <TextEditor filter={filter} {...rest} />
    case 'times':
      return <TimesEditor filter={filter} {...rest} />
  }
}

/** Also offers a value from the URL that is not among the choices, such as a removed provider. */
function ChoiceEditor({ filter, values, onChange, onDone }: EditorOf<'choice'>) {
  const { name, label, choices, nameOf } = filter
  const value = values[name]
  const offered = value === undefined || choices.includes(value) ? choices : [...choices, value]
  const choose = (choice: string): void => {
    onChange({ [name]: choice })
    onDone()
  }
  return (
    <ListBox
      aria-label={label}
      className="panel-list"
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={value === undefined ? [] : [value]}
      autoFocus={value === undefined ? 'first' : true}
      onSelectionChange={(keys) => choose(String([...keys][0] ?? value))}
    >
      {offered.map((choice) => (
        <ListBoxItem key={choice} id={choice} textValue={nameOf(choice)} className="panel-item">
          {nameOf(choice)}
          {choice === value && <Check aria-hidden="true" className="panel-chosen" />}
        </ListBoxItem>
      ))}
    </ListBox>
  )
}

function ProviderEditor({ filter, ...rest }: EditorOf<'provider'>) {
  const { data, error } = useQuery({
    queryKey: ['providers'],
    queryFn: () => unwrap(api.GET('/v1/providers')),
  })
  if (error !== null) return <Failure error={error} />
  if (data === undefined) return <Loading />
  const choices = data.items.map(({ name }) => name)
  return <ChoiceEditor filter={{ ...filter, kind: 'choice', choices, nameOf: String }} {...rest} />
}

function TextEditor({ filter, values, onChange, onDone }: EditorOf<'text'>) {
  const { name, label, hint, about, toValue = (typed: string) => typed.trim() } = filter
  const [draft, setDraft] = useState(values[name] ?? '')
  const input = useRef<HTMLInputElement>(null)
  const id = useId()
  useEffect(() => input.current?.select(), [])
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onChange({ [name]: toValue(draft) })
    onDone()
  }
  return (
    <form className="panel-form" onSubmit={submit}>
      <div className="field">
        <label htmlFor={id}>{label}</label>
        <input
          ref={input}
          id={id}
          value={draft}
          placeholder={hint}
          autoComplete="off"
          spellCheck={false}
          aria-describedby={about === undefined ? undefined : `${id}-about`}
          onChange={(event) => setDraft(event.target.value)}
        />
        {about !== undefined && (
          <span id={`${id}-about`} className="field-about">
            {about}
          </span>
        )}
      </div>
      <Button kind="primary" type="submit">
        {T.apply}
      </Button>
    </form>
  )
}
