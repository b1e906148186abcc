/** The directory of recipients. */
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { hasScope, useSession } from '../api/session.ts'
import { PAGES_TEXTS } from '../texts/pages.ts'
import { RECIPIENTS_TEXTS } from '../texts/recipients.ts'
import { Listing, useListing } from '../ui/listing.tsx'
import { Button, Empty, PageHead } from '../ui/parts.tsx'
import { useParams } from '../ui/query-string.ts'
import { SearchField } from '../ui/search-field.tsx'
import type { Recipient } from './recipients/recipient.ts'
import { RecipientForm } from './recipients/recipient-form.tsx'
import { RecipientTable } from './recipients/recipient-table.tsx'
import { RemoveRecipient } from './recipients/remove-recipient.tsx'

const T = RECIPIENTS_TEXTS

type OpenDialog = Readonly<{ kind: 'add' }> | Readonly<{ kind: 'change' | 'remove'; recipient: Recipient }>

export function Recipients() {
  const mayWrite = hasScope(useSession(), 'messages:write')
  const [{ q }, change] = useParams(['q'])
  const [dialog, setDialog] = useState<OpenDialog>()
  const list = useListing(['recipients', q], (from) =>
    unwrap(api.GET('/v1/recipients', { params: { query: { limit: 50, ...(q === undefined ? {} : { q }), ...from } } })),
  )
  const close = (): void => setDialog(undefined)
  const add = (
    <Button kind="primary" onClick={() => setDialog({ kind: 'add' })}>
      {T.add}
    </Button>
  )
  return (
    <>
      <PageHead title={PAGES_TEXTS.recipients} about={T.about} actions={mayWrite && add} />
      <div className="filters">
        <SearchField value={q} placeholder={T.find} onChange={(text) => change({ q: text }, 'replace')} />
      </div>
      <Listing of={list} empty={<Empty>{q === undefined ? T.none : T.noneFound}</Empty>}>
        {(recipients) => (
          <RecipientTable
            recipients={recipients}
            mayWrite={mayWrite}
            onChange={(recipient) => setDialog({ kind: 'change', recipient })}
            onRemove={(recipient) => setDialog({ kind: 'remove', recipient })}
          />
        )}
      </Listing>
      {dialog?.kind === 'add' && <RecipientForm recipient={undefined} onClose={close} />}
      {dialog?.kind === 'change' && <RecipientForm recipient={dialog.recipient} onClose={close} />}
      {dialog?.kind === 'remove' && <RemoveRecipient recipient={dialog.recipient} onClose={close} />}
    </>
  )
}
