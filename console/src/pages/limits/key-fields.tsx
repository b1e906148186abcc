/** The fields that say what a limit applies to. */
import { useSession } from '../../api/session.ts'
import { LIMITS_TEXTS } from '../../texts/limits.ts'
import { Field } from '../../ui/parts.tsx'
import { Select } from '../../ui/select.tsx'
import { EACH, type Key, SCOPES, type Scope } from './data.ts'

const T = LIMITS_TEXTS.key

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
        <Select label={T.scope} value={scope} of={SCOPES} nameOf={(one) => T.scopes[one]} onChange={choose} />
      )}
      {scope !== 'tenant' && allowEach && (
        <Select
          label={T.target}
          value={key === EACH ? EACH : ''}
          of={['', EACH]}
          nameOf={(one) => (one === EACH ? T.eachOf[scope] : T.oneOf[scope])}
          onChange={(one) => onChange({ scope, key: one })}
        />
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
