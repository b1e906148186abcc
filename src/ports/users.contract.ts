/** The tests every store of users and sessions must pass. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { type User, type UserId, withChanges, withoutInvitation } from '../domain/access/user.ts'
import type { EmailAddress } from '../domain/email/address.ts'
import { later, millis, seconds } from '../lib/time.ts'
import { NOON, tenant } from './samples.contract.ts'
import type { Session, Sessions, UserChange, UserChanged, Users } from './users.ts'

type Stores = Readonly<{ users: Users; sessions: Sessions }>
/** Every test opens an empty store. */
export type OpenUsers = () => Promise<Stores & AsyncDisposable>

export function usersContract(engine: string, open: OpenUsers): void {
  describe(`users on ${engine}`, { timeout: 120_000 }, () => {
    keeping(open)
    changing(open)
    operating(open)
    sessionsOf(open)
    endingSessions(open)
  })
}

function keeping(open: OpenUsers): void {
  test('a user is found as given, by id, address and subject, and listed by address in its tenant only', async () => {
    await using opened = await open()
    const { users } = opened
    const ana = someUser({ email: box("ana+o'neil@example.com"), name: 'Ana "Zoë" 👍', invitation: INVITATION })
    const bob = someUser({ email: box('Bob@example.com'), signIn: { kind: 'oidc', subject: 'sub|42' }, role: 'viewer' })
    const eva = someUser({ email: box('abe@example.com'), tenantId: bob.tenantId, state: 'disabled', signIn: HASHED })
    for (const user of [ana, bob, eva]) assert.equal(await users.add(user), 'added')
    for (const user of [ana, bob, eva]) {
      assert.deepEqual(await users.find(user.id), user)
      assert.deepEqual(await users.findByEmail(user.email), user)
    }
    assert.deepEqual(await users.findBySubject('sub|42'), bob)
    assert.deepEqual(await users.list(ana.tenantId), [ana])
    assert.deepEqual(await users.list(bob.tenantId), [bob, eva])
    assert.deepEqual(await users.list(tenant('nobody')), [])
    assert.equal(await users.find(randomUUID() as string as UserId), undefined)
    assert.equal(await users.findByEmail(box('nobody@example.com')), undefined)
    assert.equal(await users.findBySubject('sub|43'), undefined)
  })

  test('addresses and subjects are unique across tenants', async () => {
    await using opened = await open()
    const { users } = opened
    const [ana, other] = [someUser(), someUser()]
    const bob = someUser({ signIn: { kind: 'oidc', subject: 'bob' } })
    assert.equal(await users.add(ana), 'added')
    assert.equal(await users.add(someUser({ email: ana.email })), 'taken')
    assert.equal(await users.add(bob), 'added')
    assert.equal(await users.add(someUser({ signIn: bob.signIn })), 'taken')
    assert.equal(await users.add(other), 'added')
    assert.equal(await changed(users, withChanges(other, { email: ana.email }, NOON)), 'taken')
    assert.equal(await changed(users, withChanges(other, { signIn: bob.signIn }, NOON)), 'taken')
    assert.deepEqual(await users.find(other.id), other)
    assert.deepEqual(await users.list(bob.tenantId), [bob])
  })

  test('of concurrent additions with one address exactly one succeeds', async () => {
    await using opened = await open()
    const { users } = opened
    const email = box('ana@example.com')
    const added = await Promise.all(Array.from({ length: 9 }, () => users.add(someUser({ email }))))
    assert.equal(added.filter((outcome) => outcome === 'added').length, 1)
  })

  test('a removed user is gone, and its address free', async () => {
    await using opened = await open()
    const { users } = opened
    const ana = someUser()
    await users.add(ana)
    assert.equal(await users.remove(tenant('other'), ana.id), 'absent')
    assert.deepEqual(await users.find(ana.id), ana)
    assert.equal(await users.remove(ana.tenantId, ana.id), 'removed')
    assert.equal(await users.remove(ana.tenantId, ana.id), 'absent')
    assert.equal(await users.find(ana.id), undefined)
    assert.equal(await changed(users, withChanges(ana, {}, NOON)), 'outdated')
    assert.equal(await users.add(someUser({ email: ana.email })), 'added')
  })
}

function changing(open: OpenUsers): void {
  test('a change replaces every field, and removes those it does not contain', async () => {
    await using opened = await open()
    const { users } = opened
    const ana = someUser({ name: 'Ana', invitation: INVITATION })
    await users.add(ana)
    const { name: _, ...nameless } = withoutInvitation(ana)
    const changes: Partial<User> = {
      tenantId: tenant(randomUUID()),
      email: box('ana.souza@example.com'),
      role: 'admin',
      state: 'disabled',
      signIn: { kind: 'oidc', subject: 'ana' },
    }
    const next = withChanges(nameless, changes, later(NOON, seconds(5)))
    assert.equal(await changed(users, next), 'changed')
    assert.deepEqual(await users.find(ana.id), next)
    assert.deepEqual([await users.list(ana.tenantId), await users.list(next.tenantId)], [[], [next]])
    assert.equal(await users.findByEmail(ana.email), undefined)
    const back = withChanges(next, { signIn: HASHED }, NOON)
    assert.equal(await changed(users, back), 'changed')
    assert.deepEqual(await users.find(ana.id), back)
    assert.equal(await users.findBySubject('ana'), undefined)
  })

  test('of concurrent changes of one version exactly one wins', async () => {
    await using opened = await open()
    const { users } = opened
    const ana = someUser()
    await users.add(ana)
    const wanted = ['A', 'B', 'C', 'D'].map((name) => withChanges(ana, { name }, NOON))
    const outcomes = await Promise.all(wanted.map((user) => changed(users, user)))
    assert.deepEqual(outcomes.toSorted(), ['changed', 'outdated', 'outdated', 'outdated'])
    assert.deepEqual(await users.find(ana.id), wanted[outcomes.indexOf('changed')])
    assert.equal(await changed(users, withChanges(ana, { name: 'E' }, NOON)), 'outdated')
  })
}

function operating(open: OpenUsers): void {
  test('the last user who can sign in as an operator stays one', async () => {
    await using opened = await open()
    const { users } = opened
    const operator = someUser({ role: 'operator', signIn: HASHED })
    const invited = someUser({ role: 'operator', tenantId: operator.tenantId })
    const disabled = someUser({ role: 'operator', signIn: HASHED, state: 'disabled' })
    const admin = someUser({ role: 'admin', signIn: HASHED })
    for (const user of [operator, invited, disabled, admin]) await users.add(user)
    const losing: Partial<User>[] = [{ role: 'admin' }, { state: 'disabled' }, { signIn: { kind: 'password' } }]
    for (const changes of losing)
      assert.equal(await changed(users, withChanges(operator, changes, NOON)), 'last_operator')
    assert.equal(await users.remove(operator.tenantId, operator.id), 'last_operator')
    assert.deepEqual(await users.find(operator.id), operator)

    const renamed = withChanges(operator, { name: 'Ana' }, NOON)
    assert.equal(await changed(users, renamed), 'changed')
    assert.equal(await changed(users, withChanges(disabled, { state: 'active' }, NOON)), 'changed')
    assert.equal(await users.remove(operator.tenantId, operator.id), 'removed')
    assert.equal(await users.remove(invited.tenantId, invited.id), 'removed')
    assert.equal(await users.remove(disabled.tenantId, disabled.id), 'last_operator')
  })

  test('the identity provider may leave no operator', async () => {
    await using opened = await open()
    const { users } = opened
    const operator = someUser({ role: 'operator', signIn: { kind: 'oidc', subject: 'ana' } })
    await users.add(operator)
    const next = withChanges(operator, { role: 'viewer' }, NOON)
    assert.equal(await changed(users, next, { mayLeaveNoOperator: true }), 'changed')
  })

  test('of operators who demote or remove each other at the same time one stays', async () => {
    await using opened = await open()
    const { users } = opened
    for (let round = 0; round < 10; round += 1) {
      const [one, other] = [0, 1].map(() => someUser({ role: 'operator', signIn: HASHED }))
      assert.ok(one !== undefined && other !== undefined)
      for (const user of [one, other]) await users.add(user)
      const outcomes = await Promise.all([
        changed(users, withChanges(one, { role: 'viewer' }, NOON)),
        users.remove(other.tenantId, other.id),
      ])
      assert.equal(outcomes.filter((outcome) => outcome === 'last_operator').length, 1, outcomes.join())
      for (const { id, tenantId } of [one, other]) {
        const left = await users.find(id)
        if (left !== undefined) await changed(users, withChanges(left, { role: 'viewer' }, NOON), RELEASED)
        await users.remove(tenantId, id)
      }
    }
  })
}

function sessionsOf(open: OpenUsers): void {
  test('a session is found with its user until it ends, and notes the sign-in without being a change', async () => {
    await using opened = await open()
    const { users, sessions } = opened
    const ana = someUser({ signIn: HASHED })
    await users.add(ana)
    const session = someSession(ana)
    const signedIn = { ...ana, lastSignInAt: NOON }
    assert.equal(await sessions.begin(session, ana.version), true)
    assert.deepEqual(await sessions.find(session.hash, NOON), { session, user: signedIn })
    assert.deepEqual(await sessions.find(session.hash, later(session.expiresAt, millis(-1))), {
      session,
      user: signedIn,
    })
    assert.equal(await sessions.find(session.hash, session.expiresAt), undefined)
    assert.equal(await sessions.find('another', NOON), undefined)
    assert.deepEqual(await users.find(ana.id), signedIn)

    const renamed = withChanges(ana, { name: 'Ana' }, NOON)
    assert.equal(await changed(users, renamed), 'changed')
    assert.deepEqual((await sessions.find(session.hash, NOON))?.user, { ...renamed, lastSignInAt: NOON })
  })

  test('a session can be extended and ended, and other sessions of the user stay', async () => {
    await using opened = await open()
    const { users, sessions } = opened
    const ana = someUser({ signIn: HASHED })
    await users.add(ana)
    const [one, other] = [someSession(ana), someSession(ana)]
    for (const session of [one, other]) await sessions.begin(session, ana.version)
    const expiresAt = later(one.expiresAt, seconds(60))
    await sessions.extend(one.hash, expiresAt)
    assert.deepEqual((await sessions.find(one.hash, one.expiresAt))?.session, { ...one, expiresAt })
    assert.equal(await sessions.find(other.hash, other.expiresAt), undefined)
    await sessions.end(one.hash)
    await sessions.end(one.hash)
    await sessions.extend(one.hash, later(expiresAt, seconds(60)))
    assert.equal(await sessions.find(one.hash, NOON), undefined)
    assert.deepEqual((await sessions.find(other.hash, NOON))?.session, other)
  })

  test('no session begins for a user who was changed, disabled or removed since', async () => {
    await using opened = await open()
    const { users, sessions } = opened
    const [ana, bob, eva] = [someUser({ signIn: HASHED }), someUser({ signIn: HASHED }), someUser({ signIn: HASHED })]
    for (const user of [ana, bob, eva]) await users.add(user)
    await changed(users, withChanges(ana, { name: 'Ana' }, NOON))
    const disabled = withChanges(bob, { state: 'disabled' }, NOON)
    await changed(users, disabled)
    await users.remove(eva.tenantId, eva.id)
    assert.equal(await sessions.begin(someSession(ana), ana.version), false)
    assert.equal(await sessions.begin(someSession(bob), disabled.version), false)
    assert.equal(await sessions.begin(someSession(eva), eva.version), false)
    assert.equal((await users.find(ana.id))?.lastSignInAt, undefined)
  })
}

function endingSessions(open: OpenUsers): void {
  test('a change ends the sessions of the user if it says so, and of nobody else', async () => {
    await using opened = await open()
    const { users, sessions } = opened
    const [ana, bob] = [someUser({ signIn: HASHED }), someUser({ signIn: HASHED })]
    for (const user of [ana, bob]) await users.add(user)
    const [ofAna, ofBob] = [someSession(ana), someSession(bob)]
    await sessions.begin(ofAna, ana.version)
    await sessions.begin(ofBob, bob.version)
    const demoted = withChanges(ana, { role: 'viewer' }, NOON)
    assert.equal(await changed(users, withChanges(ana, {}, NOON), { endsSessions: false }), 'changed')
    assert.equal(await changed(users, demoted, { endsSessions: true }), 'outdated')
    assert.ok((await sessions.find(ofAna.hash, NOON)) !== undefined)
    assert.equal(await changed(users, withChanges(demoted, {}, NOON), { endsSessions: true }), 'changed')
    assert.equal(await sessions.find(ofAna.hash, NOON), undefined)
    assert.ok((await sessions.find(ofBob.hash, NOON)) !== undefined)
  })

  test('a disabled or removed user has no session, even one that was not ended', async () => {
    await using opened = await open()
    const { users, sessions } = opened
    const [ana, bob] = [someUser({ signIn: HASHED }), someUser({ signIn: HASHED })]
    for (const user of [ana, bob]) await users.add(user)
    const [ofAna, ofBob] = [someSession(ana), someSession(bob)]
    await sessions.begin(ofAna, ana.version)
    await sessions.begin(ofBob, bob.version)
    await changed(users, withChanges(ana, { state: 'disabled' }, NOON), { endsSessions: false })
    await users.remove(bob.tenantId, bob.id)
    for (const { hash } of [ofAna, ofBob]) assert.equal(await sessions.find(hash, NOON), undefined)
  })

  test('a session that begins while a change ends all sessions does not outlive it', async () => {
    await using opened = await open()
    const { users, sessions } = opened
    for (let round = 0; round < 20; round += 1) {
      const ana = someUser({ signIn: HASHED })
      await users.add(ana)
      const [session, next] = [someSession(ana), withChanges(ana, { role: 'viewer' }, NOON)]
      const [, outcome] = await Promise.all([
        sessions.begin(session, ana.version),
        changed(users, next, { endsSessions: true }),
      ])
      assert.equal(outcome, 'changed')
      assert.equal(await sessions.find(session.hash, NOON), undefined)
    }
  })
}

const RELEASED = { mayLeaveNoOperator: true }

const changed = (users: Users, user: User, wanted: Partial<UserChange> = {}): Promise<UserChanged> =>
  users.change({ user, endsSessions: false, mayLeaveNoOperator: false, ...wanted })

export const box = (text: string): EmailAddress => text as EmailAddress

export const HASHED: User['signIn'] = { kind: 'password', password: '$scrypt$ln=15,r=8,p=3$c2FsdA$a2V5' }
const INVITATION = { hash: 'hash-of-a-secret', expiresAt: later(NOON, seconds(60)) }

/** A user of a new tenant who has not set a password yet. */
export const someUser = (wanted: Partial<User> = {}): User => ({
  id: randomUUID() as string as UserId,
  tenantId: tenant(randomUUID()),
  email: box(`${randomUUID()}@example.com`),
  role: 'developer',
  state: 'active',
  signIn: { kind: 'password' },
  version: 1,
  createdAt: NOON,
  updatedAt: NOON,
  ...wanted,
})

export const someSession = ({ id }: Pick<User, 'id'>, wanted: Partial<Session> = {}): Session => ({
  hash: randomUUID(),
  userId: id,
  createdAt: NOON,
  expiresAt: later(NOON, seconds(3_600)),
  ...wanted,
})
