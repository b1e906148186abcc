/** The directory: people that messages can name, found as one types. */
import { useState } from 'react'
import { api, take } from '../api/client.ts'
import { may, useSession } from '../api/session.ts'
import { TEXTS } from '../texts.ts'
import { Listing, useListing } from '../ui/listing.tsx'
import { Button, Empty, PageHead } from '../ui/parts.tsx'
import { useParams } from '../ui/query-string.ts'
import { SearchField } from '../ui/search-field.tsx'
import type { Recipient } from './recipients/recipient.ts'
import { RecipientForm } from './recipients/recipient-form.tsx'
import { RecipientTable } from './recipients/recipient-table.tsx'
import { RemoveRecipient } from './recipients/remove-recipient.tsx'

const T = TEXTS.recipients

type Asked = Readonly<{ kind: 'add' }> | Readonly<{ kind: 'change' | 'remove'; recipient: Recipient }>

export function Recipients() {
  const mayWrite = may(useSession(), 'messages:write')
  const [{ q }, change] = useParams(['q'])
  const [asked, setAsked] = useState<Asked>()
  const list = useListing(['recipients', q], (from) =>
    take(api.GET('/v1/recipients', { params: { query: { limit: 50, ...(q === undefined ? {} : { q }), ...from } } })),
  )
  const close = (): void => setAsked(undefined)
  const add = (
    <Button kind="primary" onClick={() => setAsked({ kind: 'add' })}>
      {T.add}
    </Button>
  )
  return (
    <>
      <PageHead title={TEXTS.pages.recipients} about={T.about} actions={mayWrite && add} />
      <div className="filters">
        <SearchField value={q} placeholder={T.find} onChange={(text) => change({ q: text }, 'replace')} />
      </div>
      <Listing of={list} empty={<Empty>{q === undefined ? T.none : T.noneFound}</Empty>}>
        {(recipients) => (
          <RecipientTable
            recipients={recipients}
            mayWrite={mayWrite}
            onChange={(recipient) => setAsked({ kind: 'change', recipient })}
            onRemove={(recipient) => setAsked({ kind: 'remove', recipient })}
          />
        )}
      </Listing>
      {asked?.kind === 'add' && <RecipientForm recipient={undefined} onClose={close} />}
      {asked?.kind === 'change' && <RecipientForm recipient={asked.recipient} onClose={close} />}
      {asked?.kind === 'remove' && <RemoveRecipient recipient={asked.recipient} onClose={close} />}
    </>
  )
}
