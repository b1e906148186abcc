/** Invitations: links that set a password, once. They are how users are created and how a lost password is replaced. */
import { INVITATION_LIFETIME } from '../../domain/access/session.ts'
import { type Invitation, parseUserId, type User, type UserId } from '../../domain/access/user.ts'
import type { Clock } from '../../lib/clock.ts'
import { isSame } from '../../lib/constant-time.ts'
import { type Instant, later } from '../../lib/time.ts'
import type { SecretTokens } from '../../ports/secret-tokens.ts'
import type { Users } from '../../ports/users.ts'
import { refuse } from '../errors.ts'
import { signedText, withSignature } from './signed-text.ts'

/** `token` is for the link: `<user>.<secret>`, signed. */
export type DrawnInvitation = Readonly<{ token: string; invitation: Invitation }>

export function drawInvitation(tokens: SecretTokens, id: UserId, now: Instant): DrawnInvitation {
  const secret = tokens.draw()
  const invitation = { hash: tokens.hash(secret), expiresAt: later(now, INVITATION_LIFETIME) }
  return { token: withSignature(tokens, 'invitation', `${id}.${secret}`), invitation }
}

export type FindInvitedDeps = Readonly<{ users: Pick<Users, 'find'>; tokens: SecretTokens; clock: Clock }>

export type InvitedUser = User & Readonly<{ invitation: Invitation }>

/** The user whom the link invites. The answer to all other links is the same; one that was made up costs no query. */
export async function findInvited({ users, tokens, clock }: FindInvitedDeps, token: string): Promise<InvitedUser> {
  const [before = '', secret = ''] = signedText(tokens, 'invitation', token)?.split('.') ?? []
  const id = parseUserId(before)
  const user = id && (await users.find(id))
  if (
    user?.invitation !== undefined &&
    isValid(user.invitation, tokens.hash(secret), clock()) &&
    user.state === 'active'
  )
    return { ...user, invitation: user.invitation }
  throw refuse('INVALID_INVITATION', 'This invitation was used, replaced or has expired; ask for a new one')
}

const isValid = ({ hash, expiresAt }: Invitation, given: string, now: Instant): boolean =>
  now < expiresAt && isSame(hash, given)
