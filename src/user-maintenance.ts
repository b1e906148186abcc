/** Invites users of the console without a running gateway: the first operator, or one after everybody was locked out. */
import type { InvitedUser, WantedUser } from './cli/world.ts'
import type { Config } from './config/config.ts'
import { loadSecrets } from './config/secrets.ts'
import { localUrl } from './config/settings.ts'
import type { AuditAction } from './domain/access/audit.ts'
import type { User } from './domain/access/user.ts'
import type { EmailAddress } from './domain/email/address.ts'
import type { TenantId } from './domain/ids.ts'
import { openIds } from './engines/crypto/ids.ts'
import { openSecretTokens } from './engines/crypto/secret-tokens.ts'
import { createUser, type Invited } from './flows/access/create-user.ts'
import { inviteUser } from './flows/access/invite-user.ts'
import { refuse } from './flows/errors.ts'
import { instant, toIso } from './lib/time.ts'
import type { AuditLog } from './ports/audit-log.ts'
import type { Users } from './ports/users.ts'
import { openClusterUsers } from './profiles/cluster.ts'
import { openStoppedEmbedded } from './profiles/embedded.ts'

type Stores = Readonly<{ users: Users; auditLog: Pick<AuditLog, 'append'> }> & AsyncDisposable

const clock = () => instant(Date.now())

export async function createUserInStores(config: Config, wanted: WantedUser): Promise<InvitedUser> {
  await using stores = await open(config)
  const { email, tenantId, ...fields } = wanted
  const user = { ...fields, email: email as EmailAddress, tenantId: tenantId as TenantId }
  return await noted(config, stores, 'user.created', await createUser(deps(config, stores), user))
}

export async function inviteUserInStores(config: Config, email: string): Promise<InvitedUser> {
  await using stores = await open(config)
  const user = await stores.users.findByEmail(email as EmailAddress)
  if (user === undefined) throw refuse('NOT_FOUND', `No user with the address ${email}`)
  return await noted(config, stores, 'user.invited', await inviteUser(deps(config, stores), user))
}

const open = (config: Config): Promise<Stores> =>
  config.profile === 'cluster' ? openClusterUsers(config) : openStoppedEmbedded(config, config.dataDir)

const deps = (config: Config, { users }: Stores) => ({
  users,
  tokens: openSecretTokens(loadSecrets(config).masterKey),
  ids: openIds(),
  clock,
})

/** Whoever can do this has access to the stores: the audit log has no name for them. */
async function noted(
  config: Config,
  { auditLog }: Stores,
  action: AuditAction,
  invited: Invited,
): Promise<InvitedUser> {
  const { user } = invited
  const { id, tenantId, role, state } = user
  const ids = openIds()
  const at = clock()
  await auditLog.append({
    id: ids.auditId(at),
    at,
    tenantId,
    actor: { kind: 'anonymous' },
    address: 'command line',
    httpRequestId: '-',
    action,
    target: { kind: 'user', id },
    after: { role, state },
  })
  return toView(config, user, invited.token)
}

function toView(config: Config, { email, role, tenantId, invitation, updatedAt }: User, token: string): InvitedUser {
  const base = config.publicUrl?.replace(/\/+$/, '') ?? localUrl(config)
  const url = `${base}/console/accept-invitation#invitation=${token}`
  return {
    user: { email, role, tenant_id: tenantId },
    invitation: { url, expires_at: toIso(invitation?.expiresAt ?? updatedAt) },
  }
}
