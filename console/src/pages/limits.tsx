/** The limits page: rate limits and their current usage. */
import '../styles/limits.css'
import { useState } from 'react'
import { hasScope, useSession } from '../api/session.ts'
import { TEXTS } from '../texts.ts'
import { Options } from '../ui/choices.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { Listing } from '../ui/listing.tsx'
import { Button, Empty, Field, PageHead } from '../ui/parts.tsx'
import { problemOf } from '../ui/problems.tsx'
import { useParams } from '../ui/query-string.ts'
import { showToast } from '../ui/toast.tsx'
import { type Limit, SCOPES, useLimits, useRemoveLimit } from './limits/data.ts'
import { isMasked, LimitDialog } from './limits/limit-dialog.tsx'
import { LimitLookup } from './limits/limit-lookup.tsx'
import { LimitTable } from './limits/limit-table.tsx'
import { ruleOf, whoOf } from './limits/limit-text.ts'

const T = TEXTS.limits

type Open = Readonly<{ kind: 'add' }> | Readonly<{ kind: 'change' | 'remove'; limit: Limit }>

export function Limits() {
  const [{ scope: scopeParam }, change] = useParams(['scope'])
  const scope = SCOPES.find((one) => one === scopeParam)
  const list = useLimits(scope)
  const [open, setOpen] = useState<Open>()
  const session = useSession()
  const mayChange = hasScope(session, 'admin')
  const close = (): void => setOpen(undefined)
  const add = mayChange && (
    <Button kind="primary" onClick={() => setOpen({ kind: 'add' })}>
      {T.add}
    </Button>
  )
  return (
    <>
      <PageHead title={TEXTS.pages.limits} about={T.about} actions={add} />
      <div className="stack">
        <LimitLookup />
        <ScopeFilter value={scope ?? ''} onChange={(next) => change({ scope: next })} />
        <Listing of={list} empty={<Empty>{scope === undefined ? T.nothing : T.nothingOf}</Empty>}>
          {(limits) => (
            <LimitTable
              limits={limits}
              mayChange={mayChange}
              onChange={(limit) => setOpen({ kind: 'change', limit })}
              onRemove={(limit) => setOpen({ kind: 'remove', limit })}
            />
          )}
        </Listing>
      </div>
      {open?.kind === 'add' && (
        <LimitDialog
          limit={undefined}
          path={{ scope: scope ?? 'account', key: scope === 'tenant' ? (session?.tenantId ?? '') : '' }}
          onClose={close}
        />
      )}
      {open?.kind === 'change' && (
        <LimitDialog
          limit={open.limit}
          path={isMasked(open.limit) ? { scope: 'recipient', key: '' } : open.limit}
          onClose={close}
        />
      )}
      {open?.kind === 'remove' && <RemoveLimit limit={open.limit} onClose={close} />}
    </>
  )
}

type ScopeProps = Readonly<{ value: string; onChange: (scope: string) => void }>

const ScopeFilter = ({ value, onChange }: ScopeProps) => (
  <Field label={T.show} className="scope-filter">
    <select value={value} onChange={({ target }) => onChange(target.value)}>
      <option value="">{T.allScopes}</option>
      <Options of={SCOPES} nameOf={(one) => T.key.scopes[one]} />
    </select>
  </Field>
)

/** The list masks recipients, so removing a recipient's limit asks for the full address. */
function RemoveLimit({ limit, onClose }: Readonly<{ limit: Limit; onClose: () => void }>) {
  const masked = isMasked(limit)
  const [key, setKey] = useState(masked ? '' : limit.key)
  const { mutate, error, isPending } = useRemoveLimit(() => {
    showToast(T.removed)
    onClose()
  })
  return (
    <FormDialog
      title={T.removeTitle(whoOf(limit))}
      action={TEXTS.common.remove}
      error={error}
      fields={['/key']}
      busy={isPending}
      onSubmit={() => mutate({ scope: limit.scope, key: key.trim() })}
      onClose={onClose}
    >
      <p>{T.removeAbout(ruleOf(limit))}</p>
      {masked && (
        <Field label={T.key.names.recipient} problem={problemOf(error, '/key')}>
          <input
            required
            value={key}
            autoComplete="off"
            placeholder={limit.key}
            onChange={({ target }) => setKey(target.value)}
          />
        </Field>
      )}
    </FormDialog>
  )
}
