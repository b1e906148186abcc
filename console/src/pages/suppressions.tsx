/** The suppression list. */
import '../styles/suppressions.css'
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { hasScope, useSession } from '../api/session.ts'
import { PAGES_TEXTS } from '../texts/pages.ts'
import { SUPPRESSIONS_TEXTS } from '../texts/suppressions.ts'
import { ChoiceField } from '../ui/choices.tsx'
import { Listing, useListing } from '../ui/listing.tsx'
import { Button, Empty, PageHead } from '../ui/parts.tsx'
import { useParams } from '../ui/query-string.ts'
import { SearchField } from '../ui/search-field.tsx'
import { AddSuppression } from './suppressions/add-suppression.tsx'
import { ImportSuppressions } from './suppressions/import-suppressions.tsx'
import { RemoveSuppression } from './suppressions/remove-suppression.tsx'
import { REASONS, type Reason, type Suppression } from './suppressions/suppression.ts'
import { SuppressionTable } from './suppressions/suppression-table.tsx'

const T = SUPPRESSIONS_TEXTS

type OpenDialog = Readonly<{ kind: 'add' | 'import' }> | Readonly<{ kind: 'remove'; suppression: Suppression }>

export function Suppressions() {
  const mayWrite = hasScope(useSession(), 'messages:write')
  const [{ q, reason: reasonParam }, change] = useParams(['q', 'reason'])
  const reason = REASONS.find((one) => one === reasonParam)
  const [dialog, setDialog] = useState<OpenDialog>()
  const list = useSuppressions(q, reason)
  const close = (): void => setDialog(undefined)
  return (
    <>
      <PageHead title={PAGES_TEXTS.suppressions} about={T.about} actions={mayWrite && <Actions onOpen={setDialog} />} />
      <div className="filters">
        <SearchField value={q} placeholder={T.find} onChange={(text) => change({ q: text }, 'replace')} />
        <ChoiceField
          label={T.reason}
          value={reason}
          choices={REASONS}
          nameOf={(one) => T.reasons[one]}
          onChange={(next) => change({ reason: next })}
        />
      </div>
      <Listing of={list} empty={<Empty>{q === undefined && reason === undefined ? T.none : T.noneFound}</Empty>}>
        {(suppressions) => (
          <SuppressionTable
            suppressions={suppressions}
            onRemove={mayWrite ? (suppression) => setDialog({ kind: 'remove', suppression }) : undefined}
          />
        )}
      </Listing>
      {dialog?.kind === 'add' && <AddSuppression onClose={close} />}
      {dialog?.kind === 'import' && <ImportSuppressions onClose={close} />}
      {dialog?.kind === 'remove' && <RemoveSuppression suppression={dialog.suppression} onClose={close} />}
    </>
  )
}

function useSuppressions(q: string | undefined, reason: Reason | undefined) {
  const where = { ...(q === undefined ? {} : { q }), ...(reason === undefined ? {} : { reason }) }
  return useListing(['suppressions', where], (from) =>
    unwrap(api.GET('/v1/suppressions', { params: { query: { limit: 50, ...where, ...from } } })),
  )
}

const Actions = ({ onOpen }: Readonly<{ onOpen: (dialog: OpenDialog) => void }>) => (
  <>
    <Button onClick={() => onOpen({ kind: 'import' })}>{T.import}</Button>
    <Button kind="primary" onClick={() => onOpen({ kind: 'add' })}>
      {T.add}
    </Button>
  </>
)
