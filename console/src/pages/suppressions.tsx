/** Who gets no more mail and why: found by reason and address, added by hand or as a list, and let go again. */
import '../styles/suppressions.css'
import { useState } from 'react'
import { api, take } from '../api/client.ts'
import { may, useSession } from '../api/session.ts'
import { TEXTS } from '../texts.ts'
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

const T = TEXTS.suppressions

type Asked = Readonly<{ kind: 'add' | 'import' }> | Readonly<{ kind: 'remove'; suppression: Suppression }>

export function Suppressions() {
  const mayWrite = may(useSession(), 'messages:write')
  const [{ q, reason: said }, change] = useParams(['q', 'reason'])
  const reason = REASONS.find((one) => one === said)
  const [asked, setAsked] = useState<Asked>()
  const list = useSuppressions(q, reason)
  const close = (): void => setAsked(undefined)
  return (
    <>
      <PageHead title={TEXTS.pages.suppressions} about={T.about} actions={mayWrite && <Actions onAsk={setAsked} />} />
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
            onRemove={mayWrite ? (suppression) => setAsked({ kind: 'remove', suppression }) : undefined}
          />
        )}
      </Listing>
      {asked?.kind === 'add' && <AddSuppression onClose={close} />}
      {asked?.kind === 'import' && <ImportSuppressions onClose={close} />}
      {asked?.kind === 'remove' && <RemoveSuppression suppression={asked.suppression} onClose={close} />}
    </>
  )
}

function useSuppressions(q: string | undefined, reason: Reason | undefined) {
  const where = { ...(q === undefined ? {} : { q }), ...(reason === undefined ? {} : { reason }) }
  return useListing(['suppressions', where], (from) =>
    take(api.GET('/v1/suppressions', { params: { query: { limit: 50, ...where, ...from } } })),
  )
}

const Actions = ({ onAsk }: Readonly<{ onAsk: (asked: Asked) => void }>) => (
  <>
    <Button onClick={() => onAsk({ kind: 'import' })}>{T.import}</Button>
    <Button kind="primary" onClick={() => onAsk({ kind: 'add' })}>
      {T.add}
    </Button>
  </>
)
