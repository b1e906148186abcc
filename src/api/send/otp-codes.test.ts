import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { CODE_CHARACTERS } from '../../domain/otp/code.ts'
import { drawCode } from '../../engines/crypto/draw-code.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { seconds } from '../../lib/time.ts'
import { CODE, openFixture } from '../server.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const TO = '+5511987654321'
const OTHER = '+5511987654322'
const WRONG = '000000'

async function open(overrides: NonNullable<Parameters<typeof openFixture>[1]> = {}) {
  const api = await openFixture(world, overrides)
  const call = await api.caller()
  let count = 0
  const generate = (wanted: object = {}) => {
    count += 1
    return call('POST', '/v1/otp/generate', { to: TO, idempotency_key: `k${count}`, ...wanted })
  }
  return {
    api,
    generate,
    start: async (wanted?: object): Promise<string> => (await generate(wanted)).json().challenge_id,
    validate: async (id: string, code: string, more: object = {}) => {
      const answer = await call('POST', '/v1/otp/validate', { challenge_id: id, code, ...more })
      return { code: answer.statusCode, headers: answer.headers, ...answer.json() }
    },
    sent: async (id: string) => (await api.deps.log.load(id as never))?.content?.otp?.code ?? '',
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  }
}

for (const [length, alphabet] of [
  [4, 'numeric'],
  [10, 'numeric'],
  [8, 'alphanumeric'],
] as const) {
  test(`sends and checks a code of ${length} characters, ${alphabet}`, async () => {
    await using otp = await open({ drawCode })
    const id = await otp.start({ code_length: length, code_alphabet: alphabet, max_attempts: 1 })
    const code = await otp.sent(id)
    assert.match(code, new RegExp(`^[${CODE_CHARACTERS[alphabet]}]{${length}}$`))
    for (const [impossible, what] of [
      [code.slice(1), /must be/],
      [`${code}0`, /must be/],
      ['123456', new RegExp(`must be ${length} `)],
    ] as const) {
      const refused = await otp.validate(id, impossible)
      assert.deepEqual([refused.code, refused.details?.[0].path], [400, '/code'], impossible)
      assert.match(refused.detail, what)
    }
    assert.equal((await otp.validate(id, code.toLowerCase())).status, 'verified')
  })
}

test('the shape is part of what an idempotency key stands for, and six digits are the default', async () => {
  await using otp = await open()
  const id = await otp.start({ idempotency_key: 'k' })
  const same = { code_length: 6, code_alphabet: 'numeric' }
  assert.equal((await otp.generate({ idempotency_key: 'k', ...same })).json().challenge_id, id)
  for (const other of [{ code_length: 7 }, { code_alphabet: 'alphanumeric' }]) {
    const refused = await otp.generate({ idempotency_key: 'k', ...other })
    assert.equal(refused.json().error_code, 'IDEMPOTENCY_MISMATCH')
  }
  assert.equal((await otp.validate(id, CODE)).status, 'verified')
})

test('refuses other lengths and alphabets, and many attempts at a short code', async () => {
  await using otp = await open()
  for (const [wanted, path] of [
    [{ code_length: 3 }, '/code_length'],
    [{ code_length: 11 }, '/code_length'],
    [{ code_length: '6' }, '/code_length'],
    [{ code_alphabet: 'hex' }, '/code_alphabet'],
    [{ code_length: 4, max_attempts: 6 }, '/max_attempts'],
  ] as const) {
    const { statusCode, ...answer } = await otp.generate(wanted)
    assert.deepEqual([statusCode, answer.json().details.map((one: { path: string }) => one.path)], [400, [path]])
  }
})

test('a code for another recipient is a wrong code, even if it is the right one', async () => {
  await using otp = await open()
  const id = await otp.start({ channel: 'email', to: 'ann@acme.example' })
  const [other, wrong] = [
    await otp.validate(id, CODE, { to: 'eve@acme.example' }),
    await otp.validate(id, WRONG, { to: 'ann@acme.example' }),
  ]
  assert.deepEqual([other.valid, other.status, other.attempts_remaining], [false, 'invalid', 2])
  assert.deepEqual([wrong.valid, wrong.status, wrong.attempts_remaining], [false, 'invalid', 1])
  assert.equal((await otp.validate(id, CODE, { to: TO })).status, 'exhausted')
  const again = await otp.start({ channel: 'email', to: 'ann@acme.example' })
  assert.equal((await otp.validate(again, CODE, { to: 'nobody' })).code, 400)
  assert.equal((await otp.validate(again, CODE, { to: 'ANN@Acme.example' })).status, 'verified')
})

test('a challenge without a known recipient is for nobody who is named', async () => {
  await using otp = await open()
  const id = await otp.start()
  const { challenges } = otp.api.deps
  const found = await challenges.find({ tenantId: 'acme', id } as never)
  assert.ok(found?.hash !== undefined)
  const { recipient: _, shape: __, verifiedAt: ___, canceledAt: ____, ...earlier } = found
  await challenges.begin({ ...earlier, hash: found.hash })
  assert.equal((await otp.validate(id, CODE, { to: TO })).status, 'invalid')
  assert.equal((await otp.validate(id, CODE)).status, 'verified')
})

test('too many wrong codes lock a recipient out, over all its challenges', async () => {
  const wrongCodes = { limit: 3, window: seconds(3600) }
  await using otp = await open({ otp: { limit: 100, window: seconds(600), wrongCodes } })
  const [first, second] = [await otp.start({ max_attempts: 2 }), await otp.start({ ttl_seconds: 3600 })]
  for (const id of [first, first, second]) await otp.validate(id, WRONG)
  const locked = await otp.validate(second, CODE)
  assert.deepEqual([locked.code, locked.error_code, locked.headers['retry-after']], [429, 'TOO_MANY_ATTEMPTS', '3600'])
  const refused = await otp.generate()
  assert.deepEqual([refused.statusCode, refused.json().error_code], [429, 'TOO_MANY_ATTEMPTS'])
  assert.equal(refused.headers['retry-after'], '3600')
  // A call that repeats one sends nothing.
  assert.equal((await otp.generate({ idempotency_key: 'k1', max_attempts: 2 })).headers['idempotent-replayed'], 'true')
  const stranger = await otp.start({ to: OTHER })
  assert.equal((await otp.validate(stranger, CODE)).status, 'verified')
  otp.api.pass(seconds(3600))
  assert.equal((await otp.validate(await otp.start(), CODE)).status, 'verified')
})

test('right codes and codes that are not compared do not count', async () => {
  const wrongCodes = { limit: 1, window: seconds(3600) }
  await using otp = await open({ otp: { limit: 100, window: seconds(600), wrongCodes } })
  for (let count = 0; count < 3; count += 1) {
    const id = await otp.start()
    assert.equal((await otp.validate(id, '12345')).code, 400)
    assert.equal((await otp.validate(id, CODE)).status, 'verified')
    assert.equal((await otp.validate(id, WRONG)).status, 'already_verified')
  }
})

test('guesses in parallel are no more than the lock-out allows', async () => {
  const wrongCodes = { limit: 4, window: seconds(3600) }
  await using otp = await open({ otp: { limit: 100, window: seconds(600), wrongCodes } })
  const ids = [await otp.start(), await otp.start(), await otp.start()]
  const answers = await Promise.all(ids.flatMap((id) => [1, 2, 3].map(() => otp.validate(id, WRONG))))
  assert.equal(answers.filter(({ code }) => code === 200).length, 4)
  assert.equal(answers.filter(({ code }) => code === 429).length, 5)
})
