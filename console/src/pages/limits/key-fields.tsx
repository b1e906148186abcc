/** The fields that say what a limit applies to. */
import { useSession } from '../../api/session.ts'
import { TEXTS } from '../../texts.ts'
import { Options } from '../../ui/choices.tsx'
import { Field } from '../../ui/parts.tsx'
import { EACH, type Key, SCOPES, type Scope } from './data.ts'

const T = TEXTS.limits.key

type KeyFieldsProps = Readonly<{
  value: Key
  /** The scope is given and cannot be changed. */
  fixedScope?: boolean
  allowEach: boolean
  problem: string | undefined
  onChange: (value: Key) => void
}>

export function KeyFields({ value: { scope, key }, fixedScope = false, allowEach, problem, onChange }: KeyFieldsProps) {
  const tenant = useSession()?.tenantId ?? ''
  const choose = (next: Scope): void => onChange({ scope: next, key: next === 'tenant' ? tenant : '' })
  return (
    <>
      {!fixedScope && (
        <Field label={T.scope}>
          <select value={scope} onChange={({ target }) => choose(target.value as Scope)}>
            <Options of={SCOPES} nameOf={(one) => T.scopes[one]} />
          </select>
        </Field>
      )}
      {scope !== 'tenant' && allowEach && (
        <Field label={T.target}>
          <select value={key === EACH ? EACH : ''} onChange={({ target }) => onChange({ scope, key: target.value })}>
            <option value="">{T.oneOf[scope]}</option>
            <option value={EACH}>{T.eachOf[scope]}</option>
          </select>
        </Field>
      )}
      {scope !== 'tenant' && key !== EACH && (
        <Field label={T.names[scope]} problem={problem}>
          <input
            required
            value={key}
            autoComplete="off"
            spellCheck={false}
            placeholder={T.examples[scope]}
            onChange={({ target }) => onChange({ scope, key: target.value })}
          />
        </Field>
      )}
    </>
  )
}
