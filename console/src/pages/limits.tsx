/** The limits page: rate limits and their current usage. */
import '../styles/limits.css'
import { useState } from 'react'
import { hasScope, useSession } from '../api/session.ts'
import { COMMON_TEXTS } from '../texts/common.ts'
import { LIMITS_TEXTS } from '../texts/limits.ts'
import { PAGES_TEXTS } from '../texts/pages.ts'
import { FormDialog } from '../ui/form-dialog.tsx'
import { Listing } from '../ui/listing.tsx'
import { Button, Empty, Field, PageHead } from '../ui/parts.tsx'
import { problemOf } from '../ui/problems.tsx'
import { useParams } from '../ui/query-string.ts'
import { OptionalSelect } from '../ui/select.tsx'
import { showToast } from '../ui/toast.tsx'
import { type Limit, SCOPES, useLimits, useRemoveLimit } from './limits/data.ts'
import { isMasked, LimitDialog } from './limits/limit-dialog.tsx'
import { LimitLookup } from './limits/limit-lookup.tsx'
import { LimitTable } from './limits/limit-table.tsx'
import { ruleOf, whoOf } from './limits/limit-text.ts'

const T = LIMITS_TEXTS

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
      <PageHead title={PAGES_TEXTS.limits} about={T.about} actions={add} />
      <div className="stack">
        <LimitLookup />
        <OptionalSelect
          label={T.show}
          className="scope-filter"
          value={scope}
          none={T.allScopes}
          of={SCOPES}
          nameOf={(one) => T.key.scopes[one]}
          onChange={(next) => change({ scope: next })}
        />
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
      action={COMMON_TEXTS.remove}
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
