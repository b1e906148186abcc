/** Which providers and senders the messages of a tenant may use. */
import { detailsOf } from '../../api/client.ts'
import { TENANTS_TEXTS } from '../../texts/tenants.ts'
import { Field } from '../../ui/parts.tsx'
import { type Draft, sendersOf } from './draft.ts'

const T = TENANTS_TEXTS

type FieldsProps = Readonly<{ draft: Draft; error: unknown; onChange: (changes: Partial<Draft>) => void }>

export function ProviderFields({
  names,
  draft,
  error,
  onChange,
}: FieldsProps & Readonly<{ names: readonly string[] }>) {
  const problem = problemAmong(error, '/providers', draft.providers)
  return (
    <fieldset className="fields three">
      <legend>{T.fields.providers}</legend>
      {names.map((name) => (
        <label key={name} className="check">
          <input
            type="checkbox"
            checked={draft.providers.includes(name)}
            onChange={({ target }) =>
              onChange({
                providers: names.filter((one) => (one === name ? target.checked : draft.providers.includes(one))),
              })
            }
          />
          {name}
        </label>
      ))}
      <small className="soft all">{T.providersAbout}</small>
      {problem !== undefined && <span className="problem all">{problem}</span>}
    </fieldset>
  )
}

export const SenderFields = ({ draft, error, onChange }: FieldsProps) => (
  <>
    <label className="check">
      <input
        type="checkbox"
        checked={draft.hasSenders}
        onChange={({ target }) => onChange({ hasSenders: target.checked })}
      />
      {T.onlySenders}
    </label>
    {draft.hasSenders && (
      <Field label={T.fields.senders} problem={problemAmong(error, '/senders', sendersOf(draft))}>
        <textarea
          value={draft.senders}
          placeholder={T.hints.senders}
          spellCheck={false}
          onChange={({ target }) => onChange({ senders: target.value })}
        />
        <small>{T.sendersAbout}</small>
      </Field>
    )}
  </>
)

/** The first problem of a list, with the item that it is about. */
function problemAmong(error: unknown, list: string, items: readonly string[]): string | undefined {
  const { path = '', message } =
    detailsOf(error).find((detail) => detail.path === list || detail.path.startsWith(`${list}/`)) ?? {}
  return path === list || message === undefined ? message : `${items[Number(path.slice(list.length + 1))]} ${message}`
}
