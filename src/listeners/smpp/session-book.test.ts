import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Caller } from '../../domain/access/caller.ts'
import type { AccountId, TenantId } from '../../domain/ids.ts'
import type { Bound, Session } from './session.ts'
import { SessionBook } from './session-book.ts'

const callerOf = (accountId: string): Caller => ({
  tenantId: 'north' as TenantId,
  accountId: accountId as AccountId,
  scopes: new Set(),
  actor: { kind: 'system' } as unknown as Caller['actor'],
})
const sessionOf = (accountId: string, room: number): Session => {
  const bound: Bound = { caller: callerOf(accountId), keyId: 'key', kind: 'transceiver' }
  return { bound, room } as unknown as Session
}
const open = () => new SessionBook({ sessionsPerAddress: 2, sessionsPerAccount: 2 })

test('an address and an account have only so many sessions', () => {
  const book = open()
  assert.deepEqual(
    ['a', 'a', 'a', 'b'].map((address) => book.enter(address)),
    [true, true, false, true],
  )
  const session = sessionOf('shop', 1)
  for (const one of [session, sessionOf('shop', 1)]) book.add(one)
  assert.deepEqual([book.hasRoomFor(callerOf('shop')), book.hasRoomFor(callerOf('desk'))], [false, true])
  book.leave('a')
  book.remove(session)
  assert.deepEqual([book.enter('a'), book.hasRoomFor(callerOf('shop'))], [true, true])
})

test('asks for as many receipts as the receivers of each account can take', () => {
  const book = open()
  for (const session of [sessionOf('shop', 3), sessionOf('shop', 4), sessionOf('desk', 0)]) book.add(session)
  const { tenantId, accountId } = callerOf('shop')
  assert.deepEqual(book.demands(), [{ tenantId, accountId, max: 7 }])
})

test('a receipt goes to the receiver of its account that has most room', () => {
  const book = open()
  const roomy = sessionOf('shop', 4)
  for (const session of [sessionOf('shop', 3), roomy, sessionOf('desk', 9)]) book.add(session)
  assert.equal(book.next(callerOf('shop')), roomy)
  assert.equal(book.next(callerOf('nobody')), undefined)
})
