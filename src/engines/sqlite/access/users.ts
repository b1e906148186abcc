/** The users of the console and their sessions in tables. */
import type { DatabaseSync } from 'node:sqlite'
import { canOperate, type User } from '../../../domain/access/user.ts'
import type { Session, Sessions, Users } from '../../../ports/users.ts'
import { type Row, toSignedIn, toUser } from '../../shared/user-rows.ts'
import type { Table } from '../tables.ts'

export const USER_TABLES = `
  -- Without \`password\` and \`subject\` nobody can sign in as the user yet. \`operates\`: can sign in as an operator.
  create table users (
    id text primary key,
    tenant text not null,
    email text not null unique,
    name text,
    role text not null,
    state text not null,
    sign_in text not null,
    password text,
    subject text unique,
    invitation_hash text,
    invitation_expires_at integer,
    operates integer not null,
    version integer not null,
    created_at integer not null,
    updated_at integer not null,
    last_sign_in_at integer
  ) strict, without rowid;
  create index users_of_tenant on users (tenant, email);
  create index users_operating on users (operates) where operates = 1;

  -- \`hash\` is that of the token in the cookie.
  create table sessions (
    hash text primary key,
    user_id text not null,
    created_at integer not null,
    expires_at integer not null
  ) strict, without rowid;
  create index sessions_of_user on sessions (user_id);
  create index sessions_by_end on sessions (expires_at);
`

export function userTable(db: DatabaseSync) {
  const sql = prepareUsers(db)
  const isLast = (user: User): boolean => canOperate(user) && sql.otherOperator.get(user.id) === undefined
  const find = (row: Row | undefined): User | undefined => row && toUser(row)

  return {
    writes: {
      add(user) {
        const { changes } = sql.add.run({ ...toColumns(user), createdAt: user.createdAt })
        return changes === 1 ? 'added' : 'taken'
      },
      change({ user, endsSessions, mayLeaveNoOperator }) {
        const before = find(sql.find.get(user.id))
        if (before === undefined || before.version !== user.version - 1) return 'outdated'
        if (!mayLeaveNoOperator && isLast(before) && !canOperate(user)) return 'last_operator'
        if (sql.change.run(toColumns(user)).changes === 0) return 'taken'
        if (endsSessions) sql.endSessions.run(user.id)
        return 'changed'
      },
    },
    shreds: {
      remove(tenantId, id) {
        const user = find(sql.find.get(id))
        if (user?.tenantId !== tenantId) return 'absent'
        if (isLast(user)) return 'last_operator'
        sql.endSessions.run(id)
        sql.remove.run(id)
        return 'removed'
      },
    },
    reads: {
      find: (id) => find(sql.find.get(id)),
      findByEmail: (email) => find(sql.findByEmail.get(email)),
      findBySubject: (subject) => find(sql.findBySubject.get(subject)),
      list: (tenantId) => sql.list.all(tenantId).map(toUser),
    },
  } satisfies Table<Users>
}

export function sessionTable(db: DatabaseSync) {
  const sql = prepareSessions(db)
  return {
    writes: {
      begin({ hash, userId, createdAt, expiresAt }: Session, version) {
        sql.forget.run(createdAt)
        if (sql.signIn.run(createdAt, userId, version).changes === 0) return false
        sql.add.run(hash, userId, createdAt, expiresAt)
        return true
      },
      extend(hash, expiresAt) {
        sql.extend.run(expiresAt, hash)
      },
      end(hash) {
        sql.end.run(hash)
      },
    },
    reads: {
      find(hash, now) {
        const row = sql.find.get(hash, now)
        return row && toSignedIn(row)
      },
    },
  } satisfies Table<Sessions>
}

const toColumns = (user: User) => ({
  id: user.id,
  tenant: user.tenantId,
  email: user.email,
  name: user.name ?? null,
  role: user.role,
  state: user.state,
  signIn: user.signIn.kind,
  password: user.signIn.kind === 'password' ? (user.signIn.password ?? null) : null,
  subject: user.signIn.kind === 'oidc' ? (user.signIn.subject ?? null) : null,
  invitationHash: user.invitation?.hash ?? null,
  invitationExpiresAt: user.invitation?.expiresAt ?? null,
  operates: canOperate(user) ? 1 : 0,
  version: user.version,
  updatedAt: user.updatedAt,
})

function prepareUsers(db: DatabaseSync) {
  return {
    add: db.prepare(`
      insert into users (id, tenant, email, name, role, state, sign_in, password, subject, invitation_hash,
        invitation_expires_at, operates, version, created_at, updated_at)
      values (:id, :tenant, :email, :name, :role, :state, :signIn, :password, :subject, :invitationHash,
        :invitationExpiresAt, :operates, :version, :createdAt, :updatedAt)
      on conflict do nothing
    `),
    change: db.prepare(`
      update or ignore users set tenant = :tenant, email = :email, name = :name, role = :role, state = :state,
        sign_in = :signIn, password = :password, subject = :subject, invitation_hash = :invitationHash,
        invitation_expires_at = :invitationExpiresAt, operates = :operates, version = :version,
        updated_at = :updatedAt
      where id = :id
    `),
    remove: db.prepare('delete from users where id = ?'),
    endSessions: db.prepare('delete from sessions where user_id = ?'),
    otherOperator: db.prepare('select id from users where operates = 1 and id <> ? limit 1'),
    find: db.prepare('select * from users where id = ?'),
    findByEmail: db.prepare('select * from users where email = ?'),
    findBySubject: db.prepare('select * from users where subject = ?'),
    list: db.prepare('select * from users where tenant = ? order by email'),
  }
}

const prepareSessions = (db: DatabaseSync) => ({
  signIn: db.prepare(`update users set last_sign_in_at = ? where id = ? and version = ? and state = 'active'`),
  add: db.prepare('insert into sessions (hash, user_id, created_at, expires_at) values (?, ?, ?, ?)'),
  find: db.prepare(`
    select u.*, s.hash as session_hash, s.created_at as session_created_at, s.expires_at as session_expires_at
    from sessions s join users u on u.id = s.user_id
    where s.hash = ? and s.expires_at > ? and u.state = 'active'
  `),
  extend: db.prepare('update sessions set expires_at = ? where hash = ?'),
  end: db.prepare('delete from sessions where hash = ?'),
  forget: db.prepare('delete from sessions where expires_at <= ?'),
})
