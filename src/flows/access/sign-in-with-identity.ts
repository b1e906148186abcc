/**
 * Signs a person in whom the identity provider has named. The provider decides about role and tenant, so each sign-in
 * creates the user or brings it up to date.
 */
import type { Identity } from '../../domain/access/identity.ts'
import { endsSessions, type User, withChanges, withoutInvitation } from '../../domain/access/user.ts'
import type { Users } from '../../ports/users.ts'
import type { Ids } from '../../ports/world.ts'
import { type BeginSessionDeps, type Begun, beginSession } from './begin-session.ts'
import { MAX_USERS } from './create-user.ts'

export type SignInWithIdentityDeps = BeginSessionDeps &
  Readonly<{
    users: Pick<Users, 'findBySubject' | 'findByEmail' | 'add' | 'change' | 'list'>
    ids: Pick<Ids, 'userId'>
    /** Called for a user that was created or changed, before its session begins. `before` is missing for a new one. */
    onChange: (after: User, before?: User) => Promise<void>
  }>

/** `reason` is a sentence for the person. */
export type IdentitySignIn = Readonly<{ kind: 'begun'; begun: Begun } | { kind: 'refused'; reason: string }>

type Admitted = Readonly<{ kind: 'user'; user: User } | { kind: 'refused'; reason: string }>

export async function signInWithIdentity(deps: SignInWithIdentityDeps, identity: Identity): Promise<IdentitySignIn> {
  const { users } = deps
  const known = (await users.findBySubject(identity.subject)) ?? (await users.findByEmail(identity.email))
  const admitted = known === undefined ? await add(deps, identity) : await update(deps, known, identity)
  if (admitted.kind === 'refused') return admitted
  return { kind: 'begun', begun: await beginSession(deps, admitted.user) }
}

const UNVERIFIED =
  'A user with your email address exists already, and the identity provider does not say that it has verified your address. An administrator has to remove that user first.'
const AT_THE_SAME_TIME = 'Somebody changed your user at the same moment. Try again.'

async function add(deps: SignInWithIdentityDeps, identity: Identity): Promise<Admitted> {
  const { users, ids, clock, checkTenant, onChange } = deps
  const { subject, isEmailVerified: _, ...named } = identity
  const { length } = await users.list(identity.tenantId)
  if (length >= MAX_USERS) return refused(`Your tenant has ${MAX_USERS} users, which is the maximum.`)
  const at = clock()
  const user: User = {
    ...named,
    id: ids.userId(at),
    state: 'active',
    signIn: { kind: 'oidc', subject },
    version: 1,
    createdAt: at,
    updatedAt: at,
  }
  checkTenant(user)
  if ((await users.add(user)) !== 'added') return refused(AT_THE_SAME_TIME)
  await onChange(user)
  return { kind: 'user', user }
}

/** A user who had a password until now is taken over if the provider vouches for the address. */
async function update(deps: SignInWithIdentityDeps, known: User, identity: Identity): Promise<Admitted> {
  const { users, clock, onChange } = deps
  const { subject, isEmailVerified, ...named } = identity
  const ofProvider = known.signIn.kind === 'oidc' ? known.signIn.subject : undefined
  if (ofProvider !== undefined && ofProvider !== subject)
    return refused('Your email address belongs to another user. An administrator has to remove that user first.')
  if (ofProvider === undefined && !isEmailVerified) return refused(UNVERIFIED)
  if (known.state === 'disabled') return refused('Your user is disabled. An administrator can enable it.')
  if (isUpToDate(known, identity)) return { kind: 'user', user: known }
  const user = withChanges(withoutInvitation(known), { ...named, signIn: { kind: 'oidc', subject } }, clock())
  const change = { user, endsSessions: endsSessions(known, user), mayLeaveNoOperator: true }
  const outcome = await users.change(change)
  if (outcome === 'taken') return refused('Another user has your email address.')
  if (outcome !== 'changed') return refused(AT_THE_SAME_TIME)
  await onChange(user, known)
  return { kind: 'user', user }
}

function isUpToDate(user: User, { subject, email, name = user.name, role, tenantId }: Identity): boolean {
  const { signIn } = user
  const isSamePerson = signIn.kind === 'oidc' && signIn.subject === subject && user.email === email
  return isSamePerson && user.name === name && user.role === role && user.tenantId === tenantId
}

const refused = (reason: string): Admitted => ({ kind: 'refused', reason })
