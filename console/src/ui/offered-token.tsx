/** Asks before the token of a link takes the place of whoever is signed in, or may be. */
import { acceptOffered, dismissOffered, useOffered, useSession } from '../api/session.ts'
import { SIGN_IN_TEXTS } from '../texts/sign-in.ts'
import { Confirm } from './confirm.tsx'
import { nameOf } from './who.ts'

const T = SIGN_IN_TEXTS.offer

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
