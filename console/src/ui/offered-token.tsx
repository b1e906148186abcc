/** Asks before the token of a link takes the place of whoever is signed in, or may be. */
import { acceptOffered, dismissOffered, useOffered, useSession } from '../api/session.ts'
import { TEXTS } from '../texts.ts'
import { Confirm } from './confirm.tsx'
import { nameOf } from './who.ts'

const T = TEXTS.signIn.offer

export function OfferedToken() {
  const [session, offered] = [useSession(), useOffered()]
  if (offered === undefined) return null
  const { tenantId } = offered
  return (
    <Confirm title={T.title} action={T.action} onConfirm={() => void acceptOffered()} onClose={dismissOffered}>
      <p>{session === undefined ? T.aboutUnknown(tenantId) : T.about(nameOf(session), tenantId)}</p>
    </Confirm>
  )
}
