/** Chooses what an API key permits. */
import { API_KEYS_TEXTS } from '../../texts/api-keys.ts'
import { SCOPES, type Scope } from './api-key.ts'

const T = API_KEYS_TEXTS

type ScopesProps = Readonly<{
  offered: readonly Scope[]
  chosen: readonly Scope[]
  problem: string | undefined
  onChange: (chosen: readonly Scope[]) => void
}>

export const ScopeFields = ({ offered, chosen, problem, onChange }: ScopesProps) => (
  <fieldset className="fields two">
    <legend>{T.fields.scopes}</legend>
    {offered.map((scope) => (
      <label key={scope} className="check">
        <input
          type="checkbox"
          checked={chosen.includes(scope)}
          onChange={({ target }) =>
            onChange(SCOPES.filter((one) => (one === scope ? target.checked : chosen.includes(one))))
          }
        />
        <span>
          <code>{scope}</code>
          <small className="soft">{T.scopeAbout[scope]}</small>
        </span>
      </label>
    ))}
    {problem !== undefined && <span className="problem all">{problem}</span>}
  </fieldset>
)
