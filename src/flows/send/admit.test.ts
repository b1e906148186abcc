import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { type EmailAddress, toComparableAddress } from '../../domain/email/address.ts'
import type { AccountId, MessageId } from '../../domain/ids.ts'
import { EACH, type LimitScope } from '../../domain/limits/limits.ts'
import type { PhoneNumber } from '../../domain/message/phone-number.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { millis, seconds } from '../../lib/time.ts'
import type { EventLog } from '../../ports/event-log.ts'
import { tenant } from '../../ports/samples.contract.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { RateLimited, Refusal } from '../errors.ts'
import { CONTENT, openGateway, START, SUBMISSION, TENANT } from '../gateway.fixture.ts'
import { ANA, EVA, MAIL_SUBMISSION, RUI, UNAVAILABLE } from '../receive/suppress.fixture.ts'
import { suppress } from '../receive/suppress.ts'
import { type AdmitDeps, admit } from './admit.ts'

const KEYED = { ...SUBMISSION, idempotencyKey: 'order 17' }
const WINDOW = seconds(60)

/** A gateway with limits, such as `{ tenant: 2 }`. */
async function open(limits: Partial<Record<LimitScope, number>>, key?: string) {
  const engine = openMemoryEngine({ clock: () => gateway.deps.clock() })
  const gateway = openGateway({ openEngine: () => engine, ids: openIds() })
  const { routes } = gateway.deps
  const deps: AdmitDeps = { ...gateway.deps, ...engine, routes, blind: (tenant, to) => `${tenant} ${to}` }
  const own = { tenant: TENANT, account: SUBMISSION.accountId, recipient: `${TENANT} ${CONTENT.to}`, user: '101' }
  for (const scope of Object.keys(limits) as LimitScope[]) {
    const rule = { limit: limits[scope] ?? 0, window: WINDOW, algorithm: 'fixed' } as const
    const subject = { tenantId: TENANT, scope, key: key ?? own[scope], setBy: 'tenant' } as const
    await deps.rules.set({ ...subject, shown: '', rule, updatedAt: START })
  }
  const usedOf = async (scope: LimitScope): Promise<number | undefined> => {
    const [counter] =
      scope === 'user'
        ? await deps.rules.ofUser(TENANT, own.user)
        : deps.rules.counters([{ tenantId: TENANT, scope, key: own[scope] }])
    return counter && (await deps.limiter.status(counter)).used
  }
  return { ...gateway, engine, deps, usedOf }
}

const isLimited = (error: unknown): boolean => error instanceof RateLimited

test('does not call the limiter without limits', async () => {
  const { deps } = await open({})
  const limiter = {
    admit: () => assert.fail('unexpected limiter call'),
    status: () => assert.fail('unexpected limiter call'),
  }
  assert.equal((await admit({ ...deps, limiter }, SUBMISSION)).limits, undefined)
})

test('counts the message in every limited scope and returns the status of each limit', async () => {
  const { deps } = await open({ tenant: 9, account: 8, recipient: 7, user: 6 })
  const { limits = [] } = await admit(deps, { ...SUBMISSION, user: '101' })
  assert.deepEqual(
    new Map(limits.map(({ counter, used }) => [counter.scope, [used, counter.rule.limit]])),
    new Map([
      ['tenant', [1, 9]],
      ['account', [1, 8]],
      ['recipient', [1, 7]],
      ['user', [1, 6]],
    ]),
  )
})

test('a message without a user, or with another one, does not count for the user', async () => {
  const { deps, usedOf } = await open({ user: 1 })
  await admit(deps, SUBMISSION)
  await admit(deps, { ...SUBMISSION, user: '102' })
  assert.equal(await usedOf('user'), 0)
})

test('another account and another recipient do not count', async () => {
  const { deps, usedOf } = await open({ account: 1, recipient: 1 })
  await admit(deps, {
    ...SUBMISSION,
    accountId: 'elsewhere' as AccountId,
    content: { ...CONTENT, to: '+5511900000000' as PhoneNumber },
  })
  assert.deepEqual([await usedOf('account'), await usedOf('recipient')], [0, 0])
})

test('refuses at the limit with the exact Retry-After and stores nothing', async () => {
  const { deps, log, pass } = await open({ tenant: 1 })
  await admit(deps, SUBMISSION)
  pass(millis(20_000))
  await assert.rejects(admit(deps, SUBMISSION), (error: unknown) => {
    assert.ok(error instanceof RateLimited)
    assert.deepEqual([error.code, error.retryAfter, error.limits[0]?.used], ['RATE_LIMITED', 40_000, 1])
    return true
  })
  assert.equal(await log.tip(), 1)
  pass(millis(40_000))
  await admit(deps, SUBMISSION)
})

test('a limit for each recipient applies to every recipient separately', async () => {
  const { deps } = await open({ recipient: 1 }, EACH)
  await admit(deps, SUBMISSION)
  await assert.rejects(admit(deps, SUBMISSION), isLimited)
  await admit(deps, { ...SUBMISSION, content: { ...CONTENT, to: '+5511900000000' as PhoneNumber } })
})

test('a repeated call is not counted and returns its answer even at the limit', async () => {
  const { deps, usedOf } = await open({ tenant: 2 })
  const first = await admit(deps, KEYED)
  const repeated = await admit(deps, KEYED)
  assert.deepEqual([repeated.id, repeated.replayed, await usedOf('tenant')], [first.id, true, 1])
  await admit(deps, SUBMISSION)
  await assert.rejects(admit(deps, SUBMISSION), isLimited)
  const { limits: _, ...again } = await admit(deps, KEYED)
  assert.deepEqual(again, { ...again, id: first.id, createdAt: first.createdAt, replayed: true })
  const other = { ...KEYED, content: { ...CONTENT, body: 'Something else.' } }
  await assert.rejects(admit(deps, other), { code: 'IDEMPOTENCY_MISMATCH' })
})

test('concurrent calls with one key return the same answer and count once', async () => {
  const { deps, usedOf } = await open({ tenant: 1 })
  const answers = await Promise.all(Array.from({ length: 20 }, () => admit(deps, KEYED)))
  assert.equal(new Set(answers.map(({ id }) => id)).size, 1)
  assert.equal(answers.filter(({ replayed }) => !replayed).length, 1)
  assert.equal(await usedOf('tenant'), 1)
})

test('a message that could not be stored is not counted', async () => {
  const { deps, log, usedOf } = await open({ tenant: 1 })
  const unavailable: EventLog = { ...log, append: () => Promise.reject(new Unavailable('unreachable')) }
  await assert.rejects(admit({ ...deps, log: unavailable }, SUBMISSION), Unavailable)
  assert.equal(await usedOf('tenant'), 0)
  await admit(deps, SUBMISSION)
})

test('applies counters passed in besides the configured limits', async () => {
  const { deps } = await open({})
  const rule = { limit: 1, window: WINDOW, algorithm: 'fixed' } as const
  const codes = [{ tenantId: TENANT, scope: 'otp', key: 'somebody', rule, version: 0 }] as const
  await admit(deps, SUBMISSION, { counters: codes })
  await assert.rejects(admit(deps, SUBMISSION, { counters: codes }), isLimited)
})

const KEYED_MAIL = { ...MAIL_SUBMISSION, idempotencyKey: 'order 18' }
const isSuppressed = { code: 'RECIPIENT_SUPPRESSED' }

const complain = (deps: AdmitDeps & Parameters<typeof suppress>[0], address: EmailAddress): Promise<void> =>
  suppress(deps, { tenantId: TENANT, address, reason: 'complaint', messageId: 'any' as MessageId })

for (const [field, address, path] of [
  ['to', ANA, '/to'],
  ['cc', RUI, '/cc/0'],
  ['bcc', EVA, '/bcc/0'],
] as const) {
  test(`refuses an email with a suppressed address in ${field}, and neither stores nor counts it`, async () => {
    const { deps, engine, log, usedOf } = await open({ tenant: 5 })
    await complain({ ...deps, ...engine }, address)
    await assert.rejects(admit(deps, MAIL_SUBMISSION), (error: unknown) => {
      assert.ok(error instanceof Refusal)
      assert.equal(error.code, 'RECIPIENT_SUPPRESSED')
      assert.deepEqual(error.details, [{ path, message: 'is suppressed' }])
      assert.ok(!error.message.includes(address))
      return true
    })
    assert.deepEqual([await log.tip(), await usedOf('tenant')], [0, 0])
    await engine.suppressions.remove(TENANT, toComparableAddress(address))
    await admit(deps, MAIL_SUBMISSION)
    assert.equal(await usedOf('tenant'), 1)
  })
}

test('a suppression of another tenant does not apply', async () => {
  const { deps, engine } = await open({})
  await complain({ ...deps, ...engine }, ANA)
  await admit(deps, { ...MAIL_SUBMISSION, tenantId: tenant('south') })
})

test('a repeated email returns its first answer even if a recipient was suppressed since', async () => {
  const { deps, engine, log, usedOf } = await open({ tenant: 5 })
  const first = await admit(deps, KEYED_MAIL)
  await complain({ ...deps, ...engine }, ANA)
  const repeated = await admit(deps, KEYED_MAIL)
  assert.deepEqual([repeated.id, repeated.replayed, await usedOf('tenant')], [first.id, true, 1])
  const other = { ...KEYED_MAIL, content: { ...KEYED_MAIL.content, tags: ['other'] } }
  await assert.rejects(admit(deps, other), { code: 'IDEMPOTENCY_MISMATCH' })
  await assert.rejects(admit(deps, { ...KEYED_MAIL, idempotencyKey: 'another' }), isSuppressed)
  assert.equal(await log.tip(), 1)
})

test('accepts email while the suppression list is unavailable, and never checks it for SMS', async () => {
  const { deps, log } = await open({})
  await admit({ ...deps, suppressions: UNAVAILABLE }, MAIL_SUBMISSION)
  await admit({ ...deps, suppressions: { find: () => assert.fail('unexpected check') } }, SUBMISSION)
  assert.equal(await log.tip(), 2)
})
