/**
 * Signs a user in by email address and password. Whatever is wrong, the answer is the same and takes as long: nobody
 * finds out this way who has an account.
 */
import { toComparablePassword } from '../../domain/access/password.ts'
import { canSignIn, type User, withChanges } from '../../domain/access/user.ts'
import { parseEmailAddress, toComparableAddress } from '../../domain/email/address.ts'
import type { PasswordHasher } from '../../ports/password-hasher.ts'
import type { Users } from '../../ports/users.ts'
import { refuse } from '../errors.ts'
import { type BeginSessionDeps, type Begun, beginSession } from './begin-session.ts'
import type { SignInThrottle } from './sign-in-throttle.ts'

export type VerifyPasswordDeps = Readonly<{ passwords: PasswordHasher; throttle: SignInThrottle }>

export type SignInDeps = BeginSessionDeps &
  VerifyPasswordDeps &
  Readonly<{
    users: Pick<Users, 'findByEmail' | 'change'>
    /** Called for a user whose password was wrong, and not awaited: the time of the answer must tell nothing. */
    onFailure?: (user: User) => void
  }>

/** `client` is the address of the client. */
export type Credentials = Readonly<{ email: string; password: string; client: string }>

export async function signIn(deps: SignInDeps, credentials: Credentials): Promise<Begun> {
  const { users } = deps
  const email = parseEmailAddress(credentials.email)
  const find = async () => email && (await users.findByEmail(toComparableAddress(email)))
  const tried = { ...credentials, email: credentials.email.toLowerCase() }
  const { user, verdict } = await verifyPassword(deps, tried, find)
  if (user === undefined || verdict === 'wrong') {
    if (user !== undefined) deps.onFailure?.(user)
    throw wrongCredentials()
  }
  return await beginSession(deps, verdict === 'outdated' ? await rehash(deps, user, credentials.password) : user)
}

const wrongCredentials = () => refuse('INVALID_CREDENTIALS', 'The email address or the password is wrong')

/** Counts the attempt before it is decided. Hashes in any case, so that the time tells nothing. */
export async function verifyPassword(
  { passwords, throttle }: VerifyPasswordDeps,
  { email, password, client }: Credentials,
  find: () => Promise<User | undefined>,
): Promise<Readonly<{ user: User | undefined; verdict: 'wrong' | 'right' | 'outdated' }>> {
  const attempt = throttle({ email, client })
  try {
    const user = await find()
    const verdict = await passwords.verify(toComparablePassword(password), passwordOf(user))
    if (verdict !== 'wrong') attempt.succeed()
    return { user, verdict }
  } catch (error) {
    attempt.withdraw()
    throw error
  }
}

const passwordOf = (user: User | undefined): string | undefined =>
  user !== undefined && canSignIn(user) && user.signIn.kind === 'password' ? user.signIn.password : undefined

/** If somebody changes the user at the same time, the old hash stays until the next time. */
async function rehash({ users, passwords, clock }: SignInDeps, user: User, password: string): Promise<User> {
  const encoded = await passwords.hash(toComparablePassword(password))
  const next = withChanges(user, { signIn: { kind: 'password', password: encoded } }, clock())
  const outcome = await users.change({ user: next, endsSessions: false, mayLeaveNoOperator: false })
  return outcome === 'changed' ? next : user
}
