/** Creates an API key. */
import '../../styles/forms.css'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, detailsOf, unwrap } from '../../api/client.ts'
import { hasScope, isInTestMode, type Session } from '../../api/session.ts'
import { API_KEYS_TEXTS } from '../../texts/api-keys.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Field } from '../../ui/parts.tsx'
import { problemOf } from '../../ui/problems.tsx'
import { Select } from '../../ui/select.tsx'
import { API_KEYS, type Issued, type Mode, SCOPES } from './api-key.ts'
import { type Draft, networksOf, toBody } from './draft.ts'
import { ExpiryFields } from './expiry-fields.tsx'
import { ScopeFields } from './scope-fields.tsx'

const T = API_KEYS_TEXTS
const FIELDS = ['/name', '/scopes', '/mode', '/account_id', '/expires_at', '/networks'] as const

type CreateProps = Readonly<{ session: Session; onIssued: (issued: Issued) => void; onClose: () => void }>

export function CreateApiKey({ session, onIssued, onClose }: CreateProps) {
  const [draft, setDraft] = useState(() => emptyDraft(session))
  const [isTried, setTried] = useState(false)
  const { mutate, error, isPending } = useCreation(onIssued)
  const change = (changes: Partial<Draft>): void => setDraft({ ...draft, ...changes })
  const networks = networksOf(draft.networks)
  const offered = SCOPES.filter((scope) => hasScope(session, scope) && !(scope === 'operator' && draft.mode === 'test'))
  const scopes = offered.filter((scope) => draft.scopes.includes(scope))
  const submit = (): void => {
    setTried(true)
    if (scopes.length > 0) mutate({ ...draft, scopes })
  }
  return (
    <FormDialog
      title={T.create}
      action={T.createAction}
      fields={[...FIELDS, ...networks.map((_, line) => `/networks/${line}`)]}
      error={error}
      busy={isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={T.fields.name} problem={problemOf(error, '/name')}>
        <input
          required
          maxLength={100}
          value={draft.name}
          placeholder={T.hints.name}
          autoComplete="off"
          onChange={({ target }) => change({ name: target.value })}
        />
      </Field>
      <ModeField value={draft.mode} isFixed={isInTestMode(session)} onChange={(mode) => change({ mode })} />
      <ScopeFields
        offered={offered}
        chosen={scopes}
        problem={isTried && scopes.length === 0 ? T.noScope : problemOf(error, '/scopes')}
        onChange={(chosen) => change({ scopes: chosen })}
      />
      <ExpiryFields draft={draft} problem={problemOf(error, '/expires_at')} onChange={change} />
      <Field label={T.fields.account} problem={problemOf(error, '/account_id')}>
        <input
          required
          value={draft.accountId}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => change({ accountId: target.value })}
        />
      </Field>
      <Field label={T.fields.networks} problem={networkProblem(error, networks)}>
        <textarea
          className="short"
          value={draft.networks}
          placeholder={T.hints.networks}
          spellCheck={false}
          onChange={({ target }) => change({ networks: target.value })}
        />
        <small>{T.networksAbout}</small>
      </Field>
    </FormDialog>
  )
}

const emptyDraft = (session: Session): Draft => ({
  name: '',
  scopes: [],
  mode: isInTestMode(session) ? 'test' : 'live',
  accountId: session.accountId,
  expiry: 'never',
  expiresAt: undefined,
  networks: '',
})

/** The key is not kept after the dialog that shows it. */
function useCreation(onIssued: (issued: Issued) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (draft: Draft) => unwrap(api.POST('/v1/api-keys', { body: toBody(draft) })),
    onSuccess: async (issued) => {
      onIssued(issued)
      await queries.invalidateQueries({ queryKey: API_KEYS })
    },
    gcTime: 0,
  })
}

/** Names the network that is wrong. */
function networkProblem(error: unknown, networks: readonly string[]): string | undefined {
  const { path = '', message } = detailsOf(error).find((detail) => detail.path.startsWith('/networks')) ?? {}
  const [, line] = /^\/networks\/(\d+)$/.exec(path) ?? []
  return line === undefined ? message : `${networks[Number(line)]} ${message}`
}

type ModeProps = Readonly<{ value: Mode; isFixed: boolean; onChange: (mode: Mode) => void }>

const ModeField = ({ value, isFixed, onChange }: ModeProps) => (
  <Select
    label={T.fields.mode}
    value={value}
    of={['live', 'test']}
    nameOf={(mode) => T.modes[mode]}
    about={T.modeAbout[value]}
    disabled={isFixed}
    onChange={onChange}
  />
)
