import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { memoryChallenges } from '../../../test/memory/challenges.ts'
import type { AccountId, MessageId } from '../../domain/ids.ts'
import type { Challenge, CodeHash } from '../../domain/otp/challenge.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { later, seconds } from '../../lib/time.ts'
import type { Challenges } from '../../ports/challenges.ts'
import { NOON, tenant } from '../../ports/samples.contract.ts'
import { type ImportChallengesDeps, importChallenges } from './import-challenges.ts'

const [NORTH, SOUTH] = [tenant('north'), tenant('south')]
const [SOON, END] = [later(NOON, seconds(60)), later(NOON, seconds(300))]
const HASH = 'a hash' as CodeHash

const someChallenge = (wanted: Partial<Challenge> = {}): Challenge => ({
  id: randomUUID() as MessageId,
  tenantId: NORTH,
  accountId: 'shop' as AccountId,
  maxAttempts: 3,
  attempts: 0,
  createdAt: NOON,
  expiresAt: END,
  hash: HASH,
  ...wanted,
})

const toBegun = ({ hash: _, attempts: __, verifiedAt: ___, ...begun }: Challenge) => begun

/** A source with these challenges and an empty target, one minute after the challenges were created. */
function open(challenges: readonly Challenge[], isSameKey = true): ImportChallengesDeps {
  const listing: ImportChallengesDeps['source']['listing'] = {
    tenants: async () => [NORTH, SOUTH],
    async uncleared({ tenantId, limit, cursor = '0' }) {
      const all = challenges.filter((challenge) => challenge.tenantId === tenantId)
      const end = Number(cursor) + limit
      const nextCursor = end < all.length ? String(end) : undefined
      return omitUndefined({ challenges: all.slice(Number(cursor), end), nextCursor })
    },
  }
  return { source: { listing }, target: { challenges: memoryChallenges() }, isSameKey, clock: () => SOON }
}

const found = (challenges: Challenges, all: readonly Challenge[]) => Promise.all(all.map((one) => challenges.find(one)))

test('with the same master key every challenge keeps its attempts and its status', async () => {
  const all = [
    someChallenge(),
    someChallenge({ attempts: 2, tenantId: SOUTH }),
    someChallenge({ attempts: 3, shape: { length: 8, alphabet: 'alphanumeric' }, recipient: 'ann' }),
    someChallenge({ attempts: 1, verifiedAt: later(NOON, seconds(9)) }),
    someChallenge({ attempts: 1, expiresAt: later(NOON, seconds(30)) }),
  ]
  const deps = open(all)
  const { challenges } = deps.target
  assert.deepEqual(await importChallenges(deps), { all: 5, added: 5, left: 0 })
  assert.deepEqual(await found(challenges, all), all)
  const ended = (await challenges.ended(SOON, 10)).map(({ id }) => id)
  assert.deepEqual(new Set(ended), new Set(all.slice(2).map(({ id }) => id)))
})

test('a challenge without a code hash is imported without one', async () => {
  const { hash: _, ...begun } = someChallenge()
  const deps = open([begun])
  assert.deepEqual(await importChallenges(deps), { all: 1, added: 1, left: 0 })
  assert.deepEqual(await deps.target.challenges.find(begun), begun)
  assert.deepEqual(await deps.target.challenges.ended(END, 10), [{ id: begun.id, tenantId: NORTH }])
})

test('with another master key no code verifies, and each message is still erased when its challenge ends', async () => {
  const [pending, exhausted, verified, expired] = [
    someChallenge({ attempts: 1 }),
    someChallenge({ attempts: 3 }),
    someChallenge({ verifiedAt: SOON }),
    someChallenge({ expiresAt: later(NOON, seconds(30)) }),
  ]
  const deps = open([pending, exhausted, verified, expired], false)
  const { challenges } = deps.target
  assert.deepEqual(await importChallenges(deps), { all: 4, added: 3, left: 1 })
  assert.equal(await challenges.claim(pending, SOON), undefined)
  assert.equal((await challenges.find(pending))?.hash, undefined)
  assert.equal((await challenges.ended(SOON, 10)).length, 3)
  assert.equal((await challenges.ended(END, 10)).length, 4)
  assert.deepEqual(await importChallenges(deps), { all: 4, added: 0, left: 1 })
})

test('a second import changes no attempt counts', async () => {
  const [idle, guessed] = [someChallenge({ attempts: 1 }), someChallenge({ attempts: 1 })]
  const deps = open([idle, guessed])
  const { challenges } = deps.target
  await importChallenges(deps)
  await challenges.claim(guessed, SOON)
  await challenges.conclude(guessed, 'verified', SOON)
  assert.deepEqual(await importChallenges(deps), { all: 2, added: 0, left: 0 })
  assert.equal((await challenges.find(idle))?.attempts, 1)
  assert.deepEqual(await challenges.find(guessed), { ...guessed, attempts: 2, verifiedAt: SOON })
})

test('completes an interrupted import', async () => {
  const [begun, armed] = [someChallenge({ attempts: 2 }), someChallenge({ attempts: 2, verifiedAt: SOON })]
  const deps = open([begun, armed])
  const { challenges } = deps.target
  for (const challenge of [begun, armed]) await challenges.begin(toBegun(challenge))
  await challenges.arm(armed, { hash: HASH, maxAttempts: 3, expiresAt: END })
  await challenges.claim(armed, NOON)
  await importChallenges(deps)
  assert.deepEqual(await found(challenges, [begun, armed]), [begun, armed])
})

test('a challenge that a repeated call armed in the target keeps its own hash and takes over the attempts', async () => {
  const challenge = someChallenge({ attempts: 2 })
  const deps = open([challenge], false)
  const { challenges } = deps.target
  const own = 'under another key' as CodeHash
  await challenges.begin(toBegun(challenge))
  await challenges.arm(challenge, { hash: own, maxAttempts: 3, expiresAt: END })
  assert.deepEqual(await importChallenges(deps), { all: 1, added: 0, left: 0 })
  assert.deepEqual(await challenges.find(challenge), { ...challenge, hash: own })
})

test('imports challenges over several pages', async () => {
  const deps = open(Array.from({ length: 333 }, () => someChallenge({ attempts: 1 })))
  assert.deepEqual(await importChallenges(deps), { all: 333, added: 333, left: 0 })
  assert.equal((await deps.target.challenges.ended(END, 1_000)).length, 333)
})
