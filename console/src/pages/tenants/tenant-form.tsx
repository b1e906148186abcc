/** Creates or edits a tenant. */
import '../../styles/forms.css'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../api/client.ts'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { TENANTS_TEXTS } from '../../texts/tenants.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Field } from '../../ui/parts.tsx'
import { problemOf } from '../../ui/problems.tsx'
import { showToast } from '../../ui/toast.tsx'
import { type Draft, sendersOf, toCreate, toDraft, toUpdate } from './draft.ts'
import { ProviderFields, SenderFields } from './permission-fields.tsx'
import { QuotaFields } from './quota-fields.tsx'
import { QUOTAS, TENANTS, type Tenant } from './tenant.ts'

const T = TENANTS_TEXTS

type FormProps = Readonly<{ tenant: Tenant | undefined; onClose: () => void }>

export function TenantForm({ tenant, onClose }: FormProps) {
  const [draft, setDraft] = useState(() => toDraft(tenant))
  const { mutate, error, isPending } = useSave(tenant, draft, onClose)
  const change = (changes: Partial<Draft>): void => setDraft({ ...draft, ...changes })
  return (
    <FormDialog
      title={tenant === undefined ? T.add : T.changeOne(tenant.id)}
      action={tenant === undefined ? T.addAction : COMMON_TEXTS.save}
      fields={pathsOf(draft)}
      error={error}
      busy={isPending}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      {tenant === undefined && (
        <Field label={T.fields.id} problem={problemOf(error, '/id')}>
          <input
            required
            value={draft.id}
            placeholder={T.hints.id}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => change({ id: target.value })}
          />
          <small>{T.idAbout}</small>
        </Field>
      )}
      <Field label={T.fields.name} problem={problemOf(error, '/name')}>
        <input
          value={draft.name}
          placeholder={T.hints.name}
          autoComplete="off"
          onChange={({ target }) => change({ name: target.value })}
        />
      </Field>
      <ProviderFields names={useProviderNames(tenant)} draft={draft} error={error} onChange={change} />
      <SenderFields draft={draft} error={error} onChange={change} />
      <MessageFields draft={draft} error={error} onChange={change} />
      <QuotaFields quotas={draft.quotas} error={error} onChange={(quotas) => change({ quotas })} />
    </FormDialog>
  )
}

/** The error paths that the form shows next to its fields. */
const pathsOf = (draft: Draft): readonly string[] => [
  ...['/id', '/name', '/providers', '/senders', '/retention_days', '/default_locale'],
  ...draft.providers.map((_, index) => `/providers/${index}`),
  ...sendersOf(draft).map((_, index) => `/senders/${index}`),
  ...QUOTAS.map((quota) => `/quotas/${quota}`),
]

/** Those that are configured, and those that the tenant may use already. */
function useProviderNames(tenant: Tenant | undefined): readonly string[] {
  const { data } = useQuery({ queryKey: ['providers'], queryFn: () => unwrap(api.GET('/v1/providers')) })
  const configured = data?.items.map(({ name }) => name) ?? []
  return [...new Set([...configured, ...(tenant?.providers ?? [])])]
}

function useSave(tenant: Tenant | undefined, draft: Draft, onClose: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => (tenant === undefined ? create(draft) : change(tenant, draft)),
    onSuccess: async ({ id }) => {
      onClose()
      showToast(tenant === undefined ? T.added(id) : T.changed(id))
      await queries.invalidateQueries({ queryKey: TENANTS })
    },
  })
}

const create = (draft: Draft): Promise<Tenant> => unwrap(api.POST('/v1/tenants', { body: toCreate(draft) }))

async function change(tenant: Tenant, draft: Draft): Promise<Tenant> {
  const body = toUpdate(draft, tenant)
  if (body === undefined) return tenant
  return await unwrap(api.PATCH('/v1/tenants/{id}', { params: { path: { id: tenant.id } }, body }))
}

type FieldsProps = Readonly<{ draft: Draft; error: unknown; onChange: (changes: Partial<Draft>) => void }>

const MessageFields = ({ draft, error, onChange }: FieldsProps) => (
  <fieldset className="fields two">
    <legend className="visually-hidden">{T.messages}</legend>
    <Field label={T.fields.retention} problem={problemOf(error, '/retention_days')}>
      <input
        type="number"
        min={1}
        value={draft.retentionDays}
        placeholder={T.hints.unset}
        onChange={({ target }) => onChange({ retentionDays: target.value })}
      />
    </Field>
    <Field label={T.fields.locale} problem={problemOf(error, '/default_locale')}>
      <input
        value={draft.defaultLocale}
        placeholder={T.hints.locale}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => onChange({ defaultLocale: target.value })}
      />
    </Field>
  </fieldset>
)
