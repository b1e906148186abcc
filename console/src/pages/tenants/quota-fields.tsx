/** How much a tenant may have; empty for the defaults. */
import { TENANTS_TEXTS } from '../../texts/tenants.ts'
import { Field } from '../../ui/parts.tsx'
import { problemOf } from '../../ui/problems.tsx'
import type { Draft } from './draft.ts'
import { QUOTAS } from './tenant.ts'

const T = TENANTS_TEXTS

type QuotasProps = Readonly<{
  quotas: Draft['quotas']
  error: unknown
  onChange: (quotas: Draft['quotas']) => void
}>

export const QuotaFields = ({ quotas, error, onChange }: QuotasProps) => (
  <fieldset className="fields two">
    <legend>{T.quotas}</legend>
    {QUOTAS.map((quota) => (
      <Field key={quota} label={T.quotaNames[quota]} problem={problemOf(error, `/quotas/${quota}`)}>
        <input
          type="number"
          min={0}
          max={Number.MAX_SAFE_INTEGER}
          value={quotas[quota]}
          placeholder={T.hints.unset}
          onChange={({ target }) => onChange({ ...quotas, [quota]: target.value })}
        />
      </Field>
    ))}
  </fieldset>
)
