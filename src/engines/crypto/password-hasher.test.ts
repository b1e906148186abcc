import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { Unavailable } from '../../ports/unavailable.ts'
import { decodeHash } from './password-hash.ts'
import { openPasswordHasher } from './password-hasher.ts'

/** Thousands of times cheaper than in production. */
const CHEAP = { cost: 16, blockSize: 1, parallelization: 1 }

describe('password hasher', () => {
  const cheap = openPasswordHasher({ parameters: CHEAP, waiting: 3 })
  const others = openPasswordHasher({ parameters: { ...CHEAP, parallelization: 2 } })
  after(() => Promise.all([cheap, others].map((hasher) => hasher[Symbol.asyncDispose]())))

  test('recognizes the password, and no other', async () => {
    const encoded = await cheap.hash('four words are easy')
    assert.match(encoded, /^\$scrypt\$ln=4,r=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    assert.equal(await cheap.verify('four words are easy', encoded), 'right')
    for (const wrong of ['four words are eas', 'Four words are easy', ''])
      assert.equal(await cheap.verify(wrong, encoded), 'wrong')
  })

  test('salts: equal passwords have different hashes', async () => {
    assert.notEqual(await cheap.hash('one'), await cheap.hash('one'))
  })

  test('still recognizes a password that was hashed with other parameters, and says so', async () => {
    const encoded = await others.hash('four words are easy')
    assert.equal(await cheap.verify('four words are easy', encoded), 'outdated')
    assert.equal(await cheap.verify('another', encoded), 'wrong')
  })

  test('without a hash nothing is right', async () => {
    assert.equal(await cheap.verify('', undefined), 'wrong')
    assert.equal(await cheap.verify('four words are easy', undefined), 'wrong')
  })

  test('a damaged hash is a fault and not a wrong password', async () => {
    await assert.rejects(cheap.verify('x', '$scrypt$ln=4'), /damaged/)
  })

  test('refuses more than may wait, and hashes the others', async () => {
    const results = await Promise.allSettled(Array.from({ length: 9 }, () => cheap.hash('x')))
    const refused = results.filter(({ status }) => status === 'rejected')
    assert.equal(refused.length, 4)
    for (const result of refused) assert.ok(result.status === 'rejected' && result.reason instanceof Unavailable)
    assert.match(await cheap.hash('x'), /^\$scrypt/)
  })
})

test('in production a hash has the parameters that OWASP recommends', async () => {
  await using hasher = openPasswordHasher()
  const encoded = await hasher.hash('four words are easy')
  assert.deepEqual(decodeHash(encoded).parameters, { cost: 2 ** 15, blockSize: 8, parallelization: 3 })
  assert.equal(await hasher.verify('four words are easy', encoded), 'right')
})
