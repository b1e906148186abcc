/** The API keys of the tenant: created, rotated and revoked. */
import '../styles/api-keys.css'
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { hasScope, type Session, useSession } from '../api/session.ts'
import { API_KEYS_TEXTS } from '../texts/api-keys.ts'
import { PAGES_TEXTS } from '../texts/pages.ts'
import { Listing, useListing } from '../ui/listing.tsx'
import { Button, Empty, PageHead } from '../ui/parts.tsx'
import { API_KEYS, type ApiKey, type Issued, type Rotated } from './api-keys/api-key.ts'
import { ApiKeyTable } from './api-keys/api-key-table.tsx'
import { CreateApiKey } from './api-keys/create-api-key.tsx'
import { IssuedApiKey } from './api-keys/issued-api-key.tsx'
import { RevokeApiKey } from './api-keys/revoke-api-key.tsx'
import { RotateApiKey } from './api-keys/rotate-api-key.tsx'

const T = API_KEYS_TEXTS

type OpenDialog =
  | Readonly<{ kind: 'create' }>
  | Readonly<{ kind: 'rotate' | 'revoke'; apiKey: ApiKey }>
  | Readonly<{ kind: 'issued'; issued: Issued | Rotated }>

export function ApiKeys() {
  const session = useSession()
  return session !== undefined && hasScope(session, 'admin') ? (
    <ApiKeyList session={session} />
  ) : (
    <PageHead title={PAGES_TEXTS.apiKeys} about={T.notAllowed} />
  )
}

function ApiKeyList({ session }: Readonly<{ session: Session }>) {
  const [dialog, setDialog] = useState<OpenDialog>()
  const list = useListing(API_KEYS, (from) => unwrap(api.GET('/v1/api-keys', { params: { query: from } })))
  const showKey = (issued: Issued | Rotated): void => setDialog({ kind: 'issued', issued })
  const close = (): void => setDialog(undefined)
  const create = (
    <Button kind="primary" onClick={() => setDialog({ kind: 'create' })}>
      {T.create}
    </Button>
  )
  return (
    <>
      <PageHead title={PAGES_TEXTS.apiKeys} about={T.about} actions={create} />
      <Listing of={list} empty={<Empty>{T.none}</Empty>}>
        {(keys) => (
          <ApiKeyTable
            keys={keys}
            onRotate={(apiKey) => setDialog({ kind: 'rotate', apiKey })}
            onRevoke={(apiKey) => setDialog({ kind: 'revoke', apiKey })}
          />
        )}
      </Listing>
      {dialog?.kind === 'create' && <CreateApiKey session={session} onIssued={showKey} onClose={close} />}
      {dialog?.kind === 'rotate' && <RotateApiKey apiKey={dialog.apiKey} onIssued={showKey} onClose={close} />}
      {dialog?.kind === 'revoke' && <RevokeApiKey apiKey={dialog.apiKey} onClose={close} />}
      {dialog?.kind === 'issued' && <IssuedApiKey issued={dialog.issued} onClose={close} />}
    </>
  )
}
