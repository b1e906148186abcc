import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { seconds } from '../../lib/time.ts'
import { TenantOverload, Unavailable } from '../../ports/unavailable.ts'
import { CODE, openFixture } from '../server.fixture.ts'
import { WRONG_CODES } from './guess-limits.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const [GENERATE, VALIDATE] = ['/v1/otp/generate', '/v1/otp/validate']
const WRONG = '000000'
const UNKNOWN = '3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11'

async function openOtp(overrides: NonNullable<Parameters<typeof openFixture>[1]> = {}) {
  const api = await openFixture(world, overrides)
  const call = await api.caller()
  const generate = (wanted: object = {}) =>
    call('POST', GENERATE, { to: '+5511987654321', idempotency_key: 'k', ...wanted })
  return {
    ...api,
    generate,
    start: async (wanted?: object): Promise<string> => (await generate(wanted)).json().challenge_id,
    validate: (challenge_id: string, code: string) => call('POST', VALIDATE, { challenge_id, code }),
  }
}

test('generate is 429 or 503 while codes cannot be hashed, and sends nothing', async () => {
  for (const [error, code] of [
    [new TenantOverload('Too many wait'), 'TOO_MANY_REQUESTS'],
    [new Unavailable('too many wait'), 'UNAVAILABLE'],
  ] as const) {
    await using api = await openOtp()
    const { hasher } = api.deps
    await using busy = await openOtp({ hasher: { ...hasher, hash: () => Promise.reject(error) } })
    const answer = await busy.generate()
    assert.deepEqual([answer.json().error_code, answer.headers['retry-after']], [code, '1'])
    assert.match(answer.json().detail, /nothing was changed/i)
    assert.equal(await busy.deps.log.tip(), 0)
  }
})

test('wrong codes are refused with 429 when they are too many, and admitted again after a while', async () => {
  await using api = await openOtp()
  const id = await api.start()
  for (let wrong = 0; wrong < WRONG_CODES.address.capacity; wrong += 1) {
    assert.equal((await api.validate(UNKNOWN, WRONG)).statusCode, 404)
  }
  const refused = await api.validate(id, CODE)
  assert.deepEqual([refused.statusCode, refused.json().error_code], [429, 'TOO_MANY_ATTEMPTS'])
  assert.equal(refused.headers['retry-after'], '1')
  const other = await api.caller({ tenant_id: 'umbrella' })
  assert.equal((await other('POST', VALIDATE, { challenge_id: UNKNOWN, code: CODE })).statusCode, 404)
  api.pass(seconds(1))
  assert.equal((await api.validate(id, CODE)).json().status, 'verified')
})

test('a check that finds no place to wait is 429 and uses no attempt', async () => {
  await using api = await openOtp()
  const id = await api.start({ max_attempts: 1 })
  const { hasher } = api.deps
  const full = (): never => {
    throw new TenantOverload('Too many wait')
  }
  await using busy = await openOtp({ challenges: api.deps.challenges, hasher: { ...hasher, reserve: full } })
  const answer = await busy.validate(id, CODE)
  assert.deepEqual([answer.statusCode, answer.json().error_code], [429, 'TOO_MANY_REQUESTS'])
  assert.equal(answer.headers['retry-after'], '1')
  assert.equal((await api.validate(id, CODE)).json().status, 'verified')
})
