/** Sessions as the API shows them. */

import type { Caller } from '../../domain/access/caller.ts'
import type { User } from '../../domain/access/user.ts'
import { later, toIso } from '../../lib/time.ts'
import type { SignedIn } from '../../ports/users.ts'
import type { SessionView } from './session-schemas.ts'
import type { SignInParts } from './sign-in-parts.ts'

type ViewParts = Pick<SignInParts, 'reader' | 'lifetimes' | 'isPasswordOn' | 'identity'>

export const toNobody = (parts: ViewParts): SessionView => ({
  signed_in: false,
  actor: null,
  user: null,
  tenant_id: null,
  account_id: null,
  scopes: [],
  csrf_token: null,
  expires_at: null,
  ways: toWays(parts),
})

export function toSessionView(parts: ViewParts, caller: Caller, signedIn: SignedIn | undefined): SessionView {
  const { tenantId, accountId, scopes, actor } = caller
  return {
    signed_in: true,
    actor: actor.kind === 'anonymous' ? null : actor.kind,
    user: signedIn === undefined ? null : toUserView(signedIn.user),
    tenant_id: tenantId,
    account_id: accountId,
    scopes: [...scopes],
    csrf_token: signedIn === undefined ? null : parts.reader.csrfTokenOf(signedIn.session),
    expires_at: signedIn === undefined ? null : toIso(lastEndOf(parts, signedIn)),
    ways: toWays(parts),
  }
}

const lastEndOf = ({ lifetimes: { absolute } }: ViewParts, { session: { createdAt } }: SignedIn) =>
  later(createdAt, absolute)

const toWays = ({ isPasswordOn, identity }: ViewParts): SessionView['ways'] => ({
  password: isPasswordOn,
  oidc: identity !== undefined,
})

const toUserView = ({ id, email, name, role, signIn }: User): NonNullable<SessionView['user']> => ({
  id,
  email,
  name: name ?? null,
  role,
  sign_in: signIn.kind,
})
