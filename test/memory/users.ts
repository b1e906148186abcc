/** The users of the console and their sessions in memory, for tests. */
import { canOperate, type User, type UserId } from '../../src/domain/access/user.ts'
import type { Session, Sessions, Users } from '../../src/ports/users.ts'

type Stored = Readonly<{ users: Map<UserId, User>; sessions: Map<string, Session> }>

export function memoryUsers(): Readonly<{ users: Users; sessions: Sessions }> {
  const stored = { users: new Map<UserId, User>(), sessions: new Map<string, Session>() }
  return { users: usersIn(stored), sessions: sessionsIn(stored) }
}

function usersIn({ users, sessions }: Stored): Users {
  const find = (isWanted: (user: User) => boolean): User | undefined => [...users.values()].find(isWanted)
  const isLast = (user: User): boolean =>
    canOperate(user) && find((other) => other.id !== user.id && canOperate(other)) === undefined
  const isTaken = ({ id, email, signIn }: User): boolean =>
    find((other) => other.id !== id && (other.email === email || sameSubject(other.signIn, signIn))) !== undefined
  const endSessions = (id: UserId): void => {
    for (const { hash, userId } of [...sessions.values()]) if (userId === id) sessions.delete(hash)
  }

  return {
    async add(user) {
      if (isTaken(user) || users.has(user.id)) return 'taken'
      users.set(user.id, user)
      return 'added'
    },
    async change({ user, endsSessions, mayLeaveNoOperator }) {
      const before = users.get(user.id)
      if (before === undefined || before.version !== user.version - 1) return 'outdated'
      if (!mayLeaveNoOperator && isLast(before) && !canOperate(user)) return 'last_operator'
      if (isTaken(user)) return 'taken'
      users.set(user.id, withSignInOf(user, before))
      if (endsSessions) endSessions(user.id)
      return 'changed'
    },
    async remove(tenantId, id) {
      const user = users.get(id)
      if (user?.tenantId !== tenantId) return 'absent'
      if (isLast(user)) return 'last_operator'
      users.delete(id)
      endSessions(id)
      return 'removed'
    },
    find: async (id) => users.get(id),
    findByEmail: async (email) => find((user) => user.email === email),
    findBySubject: async (subject) => find(({ signIn }) => signIn.kind === 'oidc' && signIn.subject === subject),
    list: async (tenantId) =>
      [...users.values()]
        .filter((user) => user.tenantId === tenantId)
        .toSorted((one, other) => (one.email < other.email ? -1 : 1)),
  }
}

function sessionsIn({ users, sessions }: Stored): Sessions {
  return {
    async begin(session, version) {
      const user = users.get(session.userId)
      if (user?.version !== version || user.state !== 'active') return false
      users.set(user.id, { ...user, lastSignInAt: session.createdAt })
      sessions.set(session.hash, session)
      return true
    },
    async find(hash, now) {
      const session = sessions.get(hash)
      const user = session && users.get(session.userId)
      if (session === undefined || user?.state !== 'active' || now >= session.expiresAt) return undefined
      return { session, user }
    },
    async extend(hash, expiresAt) {
      const session = sessions.get(hash)
      if (session !== undefined) sessions.set(hash, { ...session, expiresAt })
    },
    async end(hash) {
      sessions.delete(hash)
    },
  }
}

const sameSubject = (one: User['signIn'], other: User['signIn']): boolean =>
  one.kind === 'oidc' && other.kind === 'oidc' && one.subject !== undefined && one.subject === other.subject

const withSignInOf = ({ lastSignInAt: _, ...user }: User, { lastSignInAt }: User): User =>
  lastSignInAt === undefined ? user : { ...user, lastSignInAt }
