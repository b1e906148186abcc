/** The tests every store of challenges must pass: attempts never exceed the limit, and a challenge is verified once. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { AccountId, MessageId } from '../domain/ids.ts'
import type { CodeHash } from '../domain/otp/challenge.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { later, millis, seconds } from '../lib/time.ts'
import type { ArmedCode, Challenges, NewChallenge } from './challenges.ts'
import { earlier, NOON, tenant } from './samples.contract.ts'

type Begun = Omit<NewChallenge, 'hash'>
export type OpenChallenges = () => Promise<Readonly<{ challenges: Challenges }> & AsyncDisposable>

const END = later(NOON, seconds(300))
const HASH = '$2b$04$......................................................' as CodeHash
const OTHER_HASH = '$2b$04$-----------------------------------------------------' as CodeHash
const CALLERS = 200

const someChallenge = (wanted: Partial<Begun> = {}): Begun => ({
  id: randomUUID() as MessageId,
  tenantId: tenant('north'),
  accountId: 'shop' as AccountId,
  maxAttempts: 3,
  createdAt: NOON,
  expiresAt: END,
  ...wanted,
})

const codeOf = ({ maxAttempts, expiresAt }: Begun, hash = HASH): ArmedCode => ({ hash, maxAttempts, expiresAt })

async function addArmed(challenges: Challenges, wanted: Partial<Begun> = {}): Promise<Begun> {
  const challenge = someChallenge(wanted)
  assert.equal(await challenges.begin({ ...challenge, hash: HASH }), true)
  return challenge
}

const times = <Value>(count: number, act: () => Promise<Value>): Promise<Value[]> =>
  Promise.all(Array.from({ length: count }, act))

export function challengesContract(engine: string, open: OpenChallenges): void {
  describe(`challenges on ${engine}`, { timeout: 120_000 }, () => {
    beginningContract(open)
    guessingContract(open)
    endingContract(open)
    cancelingContract(open)
    subjectContract(open)
  })
}

function beginningContract(open: OpenChallenges): void {
  test('stores a challenge with its code', async () => {
    await using opened = await open()
    const { challenges } = opened
    const challenge = someChallenge()
    assert.equal(await challenges.find(challenge), undefined)
    assert.equal(await challenges.begin({ ...challenge, hash: HASH }), true)
    assert.deepEqual(await challenges.find(challenge), { ...challenge, attempts: 0, hash: HASH })
  })

  test('a challenge without a code permits no attempt until it gets one', async () => {
    await using opened = await open()
    const { challenges } = opened
    const challenge = someChallenge()
    await challenges.begin(challenge)
    assert.deepEqual(await challenges.find(challenge), { ...challenge, attempts: 0 })
    assert.equal(await challenges.claim(challenge, NOON), undefined)
    assert.equal(await challenges.conclude(challenge, 'verified', NOON), false)

    await challenges.arm(challenge, codeOf(challenge))
    assert.deepEqual(await challenges.find(challenge), { ...challenge, attempts: 0, hash: HASH })
  })

  test('beginning again replaces code and terms while nobody has tried a code', async () => {
    await using opened = await open()
    const { challenges } = opened
    const terms = { maxAttempts: 9, expiresAt: later(END, seconds(60)) }
    for (const hash of [HASH, undefined]) {
      const first = someChallenge()
      await challenges.begin(omitUndefined({ ...first, hash }))
      assert.equal(await challenges.begin({ ...first, ...terms, hash: OTHER_HASH }), true)
      assert.deepEqual(await challenges.find(first), { ...first, ...terms, attempts: 0, hash: OTHER_HASH })
    }
    assert.deepEqual(await challenges.ended(END, 10), [])
    assert.equal((await challenges.ended(terms.expiresAt, 10)).length, 2)
  })

  test('beginning again keeps a challenge that somebody has tried a code on', async () => {
    await using opened = await open()
    const { challenges } = opened
    const [tried, verified] = [await addArmed(challenges), await addArmed(challenges)]
    await challenges.claim(tried, NOON)
    await challenges.conclude(verified, 'verified', NOON)
    for (const challenge of [tried, verified]) {
      assert.equal(await challenges.begin({ ...challenge, maxAttempts: 9, hash: OTHER_HASH }), false)
    }
    assert.deepEqual(await challenges.find(tried), { ...tried, hash: HASH, attempts: 1 })
    assert.deepEqual(await challenges.find(verified), { ...verified, hash: HASH, attempts: 0, verifiedAt: NOON })
  })

  test('setting the code also sets the terms, and starts over where it is another code', async () => {
    await using opened = await open()
    const { challenges } = opened
    const begun = await addArmed(challenges)
    await challenges.claim(begun, NOON)
    await challenges.arm(begun, codeOf({ ...begun, maxAttempts: 1 }))
    assert.deepEqual(await challenges.find(begun), { ...begun, attempts: 1, hash: HASH })

    const terms = { maxAttempts: 1, expiresAt: later(END, seconds(9)) }
    await challenges.conclude(begun, 'verified', NOON)
    await challenges.arm(begun, { ...terms, hash: OTHER_HASH })
    assert.deepEqual(await challenges.find(begun), { ...begun, ...terms, attempts: 0, hash: OTHER_HASH })
    assert.deepEqual(await challenges.ended(END, 10), [])
    assert.equal((await challenges.claim(begun, NOON))?.attempts, 1)
  })

  test('keeps the shape of its code and its recipient, until it gets another code', async () => {
    await using opened = await open()
    const { challenges } = opened
    const shape = { length: 8, alphabet: 'alphanumeric' } as const
    const begun = { ...someChallenge(), shape, recipient: 'ann' }
    await challenges.begin({ ...begun, hash: HASH })
    assert.deepEqual(await challenges.find(begun), { ...begun, attempts: 0, hash: HASH })

    const replaced = { ...begun, shape: { length: 4, alphabet: 'numeric' }, recipient: 'bob' } as const
    await challenges.begin({ ...replaced, hash: OTHER_HASH })
    assert.deepEqual(await challenges.claim(begun, NOON), { ...replaced, attempts: 1, hash: OTHER_HASH })
    await challenges.begin({ ...begun, hash: HASH })
    assert.deepEqual(await challenges.find(begun), { ...replaced, attempts: 1, hash: OTHER_HASH })

    const { shape: _, recipient: __, ...plain } = begun
    await challenges.arm(begun, { ...codeOf(begun), shape, recipient: 'eve' })
    assert.deepEqual(await challenges.find(begun), { ...begun, recipient: 'eve', attempts: 0, hash: HASH })
    await challenges.arm(begun, codeOf(begun, OTHER_HASH))
    assert.deepEqual(await challenges.find(begun), { ...plain, attempts: 0, hash: OTHER_HASH })
  })

  test('setting the code of an unknown challenge does nothing', async () => {
    await using opened = await open()
    const { challenges } = opened
    const challenge = someChallenge()
    await challenges.arm(challenge, codeOf(challenge))
    assert.equal(await challenges.find(challenge), undefined)
  })

  test('does not share challenges between tenants', async () => {
    await using opened = await open()
    const { challenges } = opened
    const [mine, bare] = [await addArmed(challenges), someChallenge()]
    assert.equal(await challenges.begin(bare), true)
    const south = tenant('south')
    assert.equal(await challenges.find({ ...mine, tenantId: south }), undefined)
    assert.equal(await challenges.claim({ ...mine, tenantId: south }, NOON), undefined)
    assert.equal(await challenges.conclude({ ...mine, tenantId: south }, 'verified', NOON), false)
    await challenges.arm({ ...bare, tenantId: south }, codeOf(bare))
    await challenges.clear({ ...mine, tenantId: south }, END)
    assert.deepEqual(await challenges.find(mine), { ...mine, attempts: 0, hash: HASH })
    assert.deepEqual(await challenges.find(bare), { ...bare, attempts: 0 })
    assert.equal((await challenges.ended(END, 10)).length, 2)
  })
}

function guessingContract(open: OpenChallenges): void {
  test('counts an attempt before the comparison, and never more than allowed', async () => {
    await using opened = await open()
    const { challenges } = opened
    const challenge = await addArmed(challenges)
    for (const attempts of [1, 2, 3]) {
      assert.deepEqual(await challenges.claim(challenge, NOON), { ...challenge, hash: HASH, attempts })
    }
    assert.equal(await challenges.claim(challenge, NOON), undefined)
    assert.equal((await challenges.find(challenge))?.attempts, 3)
  })

  test('of 200 concurrent guesses permits exactly as many as allowed', async () => {
    await using opened = await open()
    const { challenges } = opened
    const challenge = await addArmed(challenges)
    const claims = await times(CALLERS, () => challenges.claim(challenge, NOON))
    const counts = claims.flatMap((claimed) => (claimed === undefined ? [] : [claimed.attempts]))
    assert.deepEqual(counts.toSorted(), [1, 2, 3])
    assert.equal((await challenges.find(challenge))?.attempts, 3)
  })

  test('permits no attempt from the expiry on', async () => {
    await using opened = await open()
    const { challenges } = opened
    const challenge = await addArmed(challenges)
    assert.notEqual(await challenges.claim(challenge, earlier(END, millis(1))), undefined)
    assert.equal(await challenges.claim(challenge, END), undefined)
    assert.equal((await challenges.find(challenge))?.attempts, 1)
  })

  test('exactly one of 200 concurrent callers verifies', async () => {
    await using opened = await open()
    const { challenges } = opened
    const challenge = await addArmed(challenges)
    const verified = await times(CALLERS, () => challenges.conclude(challenge, 'verified', NOON))
    assert.equal(verified.filter(Boolean).length, 1)
    assert.equal((await challenges.find(challenge))?.verifiedAt, NOON)
  })

  test('a verified challenge permits no further attempt and keeps its time of verification', async () => {
    await using opened = await open()
    const { challenges } = opened
    const challenge = await addArmed(challenges)
    await challenges.claim(challenge, NOON)
    await challenges.conclude(challenge, 'verified', NOON)
    assert.equal(await challenges.claim(challenge, NOON), undefined)
    assert.equal(await challenges.conclude(challenge, 'verified', END), false)
    assert.deepEqual(await challenges.find(challenge), { ...challenge, hash: HASH, attempts: 1, verifiedAt: NOON })
  })
}

function endingContract(open: OpenChallenges): void {
  test('lists ended challenges of all tenants, longest ended first, until they are cleared', async () => {
    await using opened = await open()
    const { challenges } = opened
    const expired = await addArmed(challenges, { tenantId: tenant('south'), expiresAt: earlier(END, seconds(100)) })
    const verified = await addArmed(challenges)
    const exhausted = await addArmed(challenges, { maxAttempts: 1 })
    const pending = await addArmed(challenges)
    await challenges.conclude(verified, 'verified', later(NOON, seconds(5)))
    await challenges.claim(exhausted, later(NOON, seconds(3)))
    await challenges.claim(pending, NOON)

    const endedAt = async (after: number, limit = 10) =>
      (await challenges.ended(later(NOON, seconds(after)), limit)).map(({ id }) => id)
    assert.deepEqual(await endedAt(2), [])
    assert.deepEqual(await endedAt(3), [exhausted.id])
    assert.deepEqual(await endedAt(200), [exhausted.id, verified.id, expired.id])
    assert.deepEqual(await endedAt(200, 2), [exhausted.id, verified.id])
    const [, , third] = await challenges.ended(later(NOON, seconds(200)), 10)
    assert.deepEqual(third, { id: expired.id, tenantId: tenant('south') })

    for (const cleared of [exhausted, expired]) await challenges.clear(cleared, NOON)
    assert.deepEqual(await endedAt(200), [verified.id])
    assert.deepEqual(await endedAt(300), [verified.id, pending.id])
  })

  test('a cleared challenge does not end again, even when verified later, and keeps its fields', async () => {
    await using opened = await open()
    const { challenges } = opened
    const challenge = await addArmed(challenges, { maxAttempts: 1 })
    await challenges.claim(challenge, NOON)
    await challenges.clear(challenge, NOON)
    assert.equal(await challenges.conclude(challenge, 'verified', NOON), true)
    assert.deepEqual(await challenges.ended(END, 10), [])
    assert.deepEqual(await challenges.find(challenge), { ...challenge, hash: HASH, attempts: 1, verifiedAt: NOON })
  })

  test('deletes challenges that were cleared long ago when others are cleared, and no others', async () => {
    await using opened = await open()
    const { challenges } = opened
    const old = { createdAt: earlier(NOON, seconds(60)) }
    const [cleared, remaining] = [await addArmed(challenges, old), await addArmed(challenges, old)]
    const foreign = await addArmed(challenges, { ...old, tenantId: tenant('south') })
    for (const one of [cleared, foreign]) await challenges.clear(one, old.createdAt)
    const recent = await addArmed(challenges)
    await challenges.clear(recent, NOON)
    assert.equal(await challenges.find(cleared), undefined)
    for (const one of [remaining, foreign, recent]) assert.equal((await challenges.find(one))?.id, one.id)
  })

  test('a challenge that is begun again is not cleared before the new expiry', async () => {
    await using opened = await open()
    const { challenges } = opened
    const [untried, tried] = [await addArmed(challenges), await addArmed(challenges)]
    const expiresAt = later(END, seconds(600))
    await challenges.claim(tried, NOON)
    for (const challenge of [untried, tried]) {
      await challenges.clear(challenge, NOON)
      await challenges.begin({ ...challenge, expiresAt, hash: OTHER_HASH })
    }
    assert.deepEqual(await challenges.ended(earlier(expiresAt, millis(1)), 10), [])
    assert.equal((await challenges.ended(expiresAt, 10)).length, 2)
  })
}

function cancelingContract(open: OpenChallenges): void {
  test('a canceled challenge permits no further attempt, and its message is to be erased', async () => {
    await using opened = await open()
    const { challenges } = opened
    const challenge = await addArmed(challenges)
    await challenges.claim(challenge, NOON)
    const at = later(NOON, seconds(5))
    assert.equal(await challenges.conclude({ ...challenge, tenantId: tenant('south') }, 'canceled', at), false)
    assert.equal(await challenges.conclude(challenge, 'canceled', at), true)
    assert.equal(await challenges.claim(challenge, at), undefined)
    assert.deepEqual(await challenges.find(challenge), { ...challenge, hash: HASH, attempts: 1, canceledAt: at })
    const ended = await challenges.ended(at, 10)
    assert.deepEqual(
      ended.map(({ id }) => id),
      [challenge.id],
    )
  })

  test('a challenge is either verified or canceled, and only once', async () => {
    await using opened = await open()
    const { challenges } = opened
    const [verified, canceled] = [await addArmed(challenges), await addArmed(challenges)]
    await challenges.conclude(verified, 'verified', NOON)
    await challenges.conclude(canceled, 'canceled', NOON)
    for (const challenge of [verified, canceled]) {
      assert.equal(await challenges.conclude(challenge, 'verified', END), false)
      assert.equal(await challenges.conclude(challenge, 'canceled', END), false)
      assert.equal(await challenges.begin({ ...challenge, hash: OTHER_HASH }), false)
    }
    assert.deepEqual(await challenges.find(verified), { ...verified, hash: HASH, attempts: 0, verifiedAt: NOON })
    assert.deepEqual(await challenges.find(canceled), { ...canceled, hash: HASH, attempts: 0, canceledAt: NOON })
  })
}

function subjectContract(open: OpenChallenges): void {
  test('finds the newest challenge of a subject, in its tenant, until it is deleted', async () => {
    await using opened = await open()
    const { challenges } = opened
    const [tenantId, south] = [tenant('north'), tenant('south')]
    const [first, second, other] = [someChallenge(), someChallenge(), someChallenge({ tenantId: south })]
    for (const one of [first, second, other]) await challenges.begin({ ...one, hash: HASH, subject: 'ana' })
    await challenges.begin({ ...someChallenge(), hash: HASH, subject: 'bea' })
    await challenges.begin({ ...someChallenge(), hash: HASH })

    const newest = async (id: Begun['tenantId']) => (await challenges.find({ tenantId: id, subject: 'ana' }))?.id
    assert.deepEqual([await newest(tenantId), await newest(south)], [second.id, other.id])
    assert.equal(await challenges.find({ tenantId, subject: 'cleo' }), undefined)

    for (const one of [first, second, other]) await challenges.clear(one, NOON)
    assert.deepEqual([await newest(tenantId), await newest(south)], [second.id, other.id])
    await challenges.clear(first, later(NOON, seconds(1)))
    assert.deepEqual([await newest(tenantId), await newest(south)], [undefined, other.id])
  })
}
