/** Reads users and sessions from table rows. SQLite and PostgreSQL use the same column names. */
import type { Invitation, Role, SignIn, User, UserId } from '../../domain/access/user.ts'
import type { EmailAddress } from '../../domain/email/address.ts'
import type { TenantId } from '../../domain/ids.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { instant } from '../../lib/time.ts'
import type { SignedIn } from '../../ports/users.ts'

export type Row = Readonly<Record<string, unknown>>

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

export function toUser(row: Row): User {
  const { name, last_sign_in_at: lastSignInAt } = row
  return {
    id: String(row['id']) as UserId,
    tenantId: String(row['tenant']) as TenantId,
    email: String(row['email']) as EmailAddress,
    role: row['role'] as Role,
    state: row['state'] as User['state'],
    signIn: toSignIn(row),
    version: Number(row['version']),
    createdAt: instant(Number(row['created_at'])),
    updatedAt: instant(Number(row['updated_at'])),
    ...omitUndefined({
      name: textOf(name),
      invitation: toInvitation(row),
      lastSignInAt: typeof lastSignInAt === 'number' ? instant(lastSignInAt) : undefined,
    }),
  }
}

const toSignIn = ({ sign_in: kind, password, subject }: Row): SignIn =>
  kind === 'oidc'
    ? omitUndefined({ kind: 'oidc' as const, subject: textOf(subject) })
    : omitUndefined({ kind: 'password' as const, password: textOf(password) })

function toInvitation({ invitation_hash: hash, invitation_expires_at: expiresAt }: Row): Invitation | undefined {
  return typeof hash === 'string' ? { hash, expiresAt: instant(Number(expiresAt)) } : undefined
}

export const toSignedIn = (row: Row): SignedIn => ({
  session: {
    hash: String(row['session_hash']),
    userId: String(row['id']) as UserId,
    createdAt: instant(Number(row['session_created_at'])),
    expiresAt: instant(Number(row['session_expires_at'])),
  },
  user: toUser(row),
})
