/**
 * The users and sessions of the cluster profile. Nothing is kept in memory, so what one process ends no other accepts.
 * A change first locks the user and everybody who can operate the installation: so of two operators who remove each
 * other one stays, and a session that begins at the same moment ends too.
 */
import { DatabaseError } from 'pg'
import { canOperate, type User } from '../../../domain/access/user.ts'
import type { Sessions, UserChange, UserChanged, Users } from '../../../ports/users.ts'
import { toSignedIn, toUser } from '../../shared/user-rows.ts'
import type { Database, Rows, Statement } from '../database.ts'

const ADD = `
  insert into pombo.users (id, tenant, email, name, role, state, sign_in, password, subject, invitation_hash,
    invitation_expires_at, operates, version, updated_at, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
  on conflict do nothing returning id
`

const LOCK = 'select id from pombo.users where id = $1 or operates order by id for update'

const OTHER_OPERATOR = 'exists (select from pombo.users o where o.operates and o.id <> $1)'

const CHANGE = `
  with before as (
    select id, operates and not $12 and not $15 and not ${OTHER_OPERATOR} as is_last
    from pombo.users where id = $1 and version = $13 - 1
  ), changed as (
    update pombo.users u set tenant = $2, email = $3, name = $4, role = $5, state = $6, sign_in = $7, password = $8,
      subject = $9, invitation_hash = $10, invitation_expires_at = $11, operates = $12, version = $13, updated_at = $14
    from before where u.id = before.id and not is_last returning u.id
  ), ended as (
    delete from pombo.sessions where $16 and user_id in (select id from changed)
  )
  select is_last from before
`

const REMOVE = `
  with before as (
    select id, operates and not ${OTHER_OPERATOR} as is_last from pombo.users where id = $1 and tenant = $2
  ), removed as (
    delete from pombo.users u using before where u.id = before.id and not is_last returning u.id
  ), ended as (
    delete from pombo.sessions where user_id in (select id from removed)
  )
  select is_last from before
`

const BEGIN = `
  with signed_in as (
    update pombo.users set last_sign_in_at = $3 where id = $2 and version = $5 and state = 'active' returning id
  ), forgotten as (
    delete from pombo.sessions where hash in (
      select hash from pombo.sessions where expires_at <= $3 order by expires_at limit 100 for update skip locked
    )
  )
  insert into pombo.sessions (hash, user_id, created_at, expires_at)
  select $1, id, $3::bigint, $4::bigint from signed_in returning hash
`

const FIND_SESSION = `
  select u.*, s.hash as session_hash, s.created_at as session_created_at, s.expires_at as session_expires_at
  from pombo.sessions s join pombo.users u on u.id = s.user_id
  where s.hash = $1 and s.expires_at > $2 and u.state = 'active'
`

export const postgresUsers = (db: Database): Users => ({
  async add(user) {
    const added = await db.asTenant(user.tenantId, ADD, [...toValues(user), user.createdAt])
    return added.length === 1 ? 'added' : 'taken'
  },

  change: (change) => changeUser(db, change),

  async remove(tenantId, id) {
    const [row] = await db.asSystem(REMOVE, [id, tenantId], [lock(id)])
    if (row === undefined) return 'absent'
    return row['is_last'] === true ? 'last_operator' : 'removed'
  },

  find: async (id) => first(await db.asSystem('select * from pombo.users where id = $1', [id])),
  findByEmail: async (email) => first(await db.asSystem('select * from pombo.users where email = $1', [email])),
  findBySubject: async (subject) => first(await db.asSystem('select * from pombo.users where subject = $1', [subject])),

  list: async (tenantId) =>
    (await db.asTenant(tenantId, 'select * from pombo.users where tenant = $1 order by email', [tenantId])).map(toUser),
})

export const postgresSessions = (db: Database): Sessions => ({
  async begin({ hash, userId, createdAt, expiresAt }, version) {
    return (await db.asSystem(BEGIN, [hash, userId, createdAt, expiresAt, version])).length === 1
  },

  async find(hash, now) {
    const [row] = await db.asSystem(FIND_SESSION, [hash, now])
    return row && toSignedIn(row)
  },

  async extend(hash, expiresAt) {
    await db.asSystem('update pombo.sessions set expires_at = $2 where hash = $1', [hash, expiresAt])
  },

  async end(hash) {
    await db.asSystem('delete from pombo.sessions where hash = $1', [hash])
  },
})

const lock = (id: string): Statement => ({ text: LOCK, values: [id] })

const first = ([row]: Rows): User | undefined => row && toUser(row)

/** Unique violation. */
const IS_TAKEN = '23505'

async function changeUser(db: Database, change: UserChange): Promise<UserChanged> {
  const { user, endsSessions, mayLeaveNoOperator } = change
  try {
    const values = [...toValues(user), mayLeaveNoOperator, endsSessions]
    const [row] = await db.asSystem(CHANGE, values, [lock(user.id)])
    if (row === undefined) return 'outdated'
    return row['is_last'] === true ? 'last_operator' : 'changed'
  } catch (error) {
    if (error instanceof DatabaseError && error.code === IS_TAKEN) return 'taken'
    throw error
  }
}

const toValues = ({ signIn, invitation, ...user }: User): unknown[] => [
  ...[user.id, user.tenantId, user.email, user.name, user.role, user.state, signIn.kind],
  signIn.kind === 'password' ? signIn.password : undefined,
  signIn.kind === 'oidc' ? signIn.subject : undefined,
  ...[invitation?.hash, invitation?.expiresAt, canOperate({ ...user, signIn }), user.version, user.updatedAt],
]
