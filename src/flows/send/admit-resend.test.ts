import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { RecipientId } from '../../domain/directory/recipient.ts'
import { toUserAddress } from '../../domain/directory/user-address.ts'
import type { AccountId, MessageId } from '../../domain/ids.ts'
import type { LimitOwner, LimitScope } from '../../domain/limits/limits.ts'
import type { PhoneNumber } from '../../domain/message/phone-number.ts'
import { isHandoffOver } from '../../domain/message/states.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { millis, seconds } from '../../lib/time.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { erase } from '../admin/erase.ts'
import { RateLimited } from '../errors.ts'
import {
  CONTENT,
  fakeProvider,
  openGateway,
  overtaken,
  REJECTS,
  START,
  SUBMISSION,
  TENANT,
  TRACE,
} from '../gateway.fixture.ts'
import { type AdmitResendDeps, admitResend, type LimitedResend } from './admit-resend.ts'

const WINDOW = seconds(60)
const OTHER_NUMBER = '+5511900000000' as PhoneNumber

/** A gateway whose provider rejects every message, so that all can be resent, with limits such as `{ tenant: 2 }`. */
async function open(limits: Partial<Record<LimitScope, number>>, setBy: LimitOwner = 'tenant') {
  const engine = openMemoryEngine({ clock: () => gateway.deps.clock() })
  const rejecting = fakeProvider(Array(20).fill(REJECTS))
  const gateway = openGateway({ openEngine: () => engine, ids: openIds() }, { providers: [rejecting] })
  const deps: AdmitResendDeps & typeof gateway.deps = {
    ...gateway.deps,
    ...engine,
    blind: (tenant, to) => `${tenant} ${to}`,
  }
  const own = { tenant: TENANT, account: SUBMISSION.accountId, recipient: `${TENANT} ${CONTENT.to}`, user: '101' }
  for (const scope of Object.keys(limits) as LimitScope[]) {
    const rule = { limit: limits[scope] ?? 0, window: WINDOW, algorithm: 'fixed' } as const
    await deps.rules.set({ tenantId: TENANT, scope, key: own[scope], setBy, shown: '', rule, updatedAt: START })
  }
  const usedOf = async (scope: LimitScope): Promise<number | undefined> => {
    const [counter] =
      scope === 'user'
        ? await deps.rules.ofUser(TENANT, own.user)
        : deps.rules.counters([{ tenantId: TENANT, scope, key: own[scope] }])
    return counter && (await deps.limiter.status(counter)).used
  }
  const submitFailed = async (...wanted: Parameters<typeof gateway.submit>): Promise<MessageId> => {
    const id = await gateway.submit(...wanted)
    // Each round processes one job, and resends of other messages may be queued before it.
    for (let round = 0; round < 20 && !isHandoffOver((await gateway.stateOf(id)).handoffState); round += 1) {
      await gateway.work()
    }
    return id
  }
  const again = (id: MessageId, more: Partial<LimitedResend> = {}) =>
    admitResend(deps, { tenantId: TENANT, id, by: 'resend', traceId: TRACE, overrideLimits: false, ...more })
  return { ...gateway, engine, deps, usedOf, submitFailed, again }
}

const isLimited = (error: unknown): boolean => error instanceof RateLimited

test('without limits a resend does not call the limiter, decrypts nothing and reads the message once', async () => {
  const { deps, submitFailed } = await open({})
  const id = await submitFailed()
  const limiter = {
    admit: () => assert.fail('unexpected limiter call'),
    status: () => assert.fail('unexpected limiter call'),
  }
  let reads = 0
  const log: typeof deps.log = {
    ...deps.log,
    load: () => assert.fail('unexpected read of content'),
    latest(one) {
      reads += 1
      return deps.log.latest(one)
    },
  }
  const request = { tenantId: TENANT, id, by: 'resend', traceId: TRACE, overrideLimits: false } as const
  const { state, limits } = await admitResend({ ...deps, limiter, log }, request)
  assert.deepEqual([state.cycle, limits, reads], [2, [], 1])
})

test('a resend counts in every scope that a send of the message counts in', async () => {
  const { submitFailed, again } = await open({ tenant: 9, account: 8, recipient: 7, user: 6 })
  const id = await submitFailed({ content: { ...CONTENT, recipientExternalId: '101' } })
  const { state, limits } = await again(id)
  assert.equal(state.cycle, 2)
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

test('limits on tenant and account need no content', async () => {
  const { deps, submitFailed, usedOf } = await open({ tenant: 5, account: 5 })
  const id = await submitFailed()
  const log = { ...deps.log, load: () => assert.fail('unexpected read of content') }
  await admitResend({ ...deps, log }, { tenantId: TENANT, id, by: 'resend', traceId: TRACE, overrideLimits: false })
  assert.deepEqual([await usedOf('tenant'), await usedOf('account')], [1, 1])
})

test("refuses resends at the recipient's limit until the window ends", async () => {
  const { submitFailed, again, work, pass, stateOf } = await open({ recipient: 1 })
  const id = await submitFailed()
  const other = await submitFailed({ content: { ...CONTENT, to: OTHER_NUMBER } })
  await again(id)
  await work()
  pass(millis(20_000))
  await assert.rejects(again(id), (error: unknown) => {
    assert.ok(error instanceof RateLimited)
    assert.deepEqual([error.code, error.retryAfter, error.limits[0]?.used], ['RATE_LIMITED', 40_000, 1])
    return true
  })
  assert.equal((await stateOf(id)).cycle, 2)
  assert.equal((await again(other)).state.cycle, 2)
  pass(millis(40_000))
  assert.equal((await again(id)).state.cycle, 3)
})

test('counts the account of the message', async () => {
  const { submitFailed, again, usedOf } = await open({ account: 5 })
  await again(await submitFailed({ accountId: 'elsewhere' as AccountId }))
  assert.equal(await usedOf('account'), 0)
  await again(await submitFailed())
  assert.equal(await usedOf('account'), 1)
})

test('finds the user by user address, or by recipient id through the directory', async () => {
  const { deps, submitFailed, again, usedOf } = await open({ user: 5 })
  await again(await submitFailed({ content: { ...CONTENT, to: toUserAddress(101) } }))
  assert.equal(await usedOf('user'), 1)

  const recipientId = '0198c000-0000-7000-8000-000000000001' as RecipientId
  const times = { createdAt: START, updatedAt: START }
  await deps.recipients.add({ tenantId: TENANT, id: recipientId, externalId: '101', phone: OTHER_NUMBER, ...times })
  await again(await submitFailed({ content: { ...CONTENT, recipientId } }))
  assert.equal(await usedOf('user'), 2)

  await deps.recipients.remove(TENANT, recipientId)
  await again(await submitFailed({ content: { ...CONTENT, recipientId } }))
  await again(await submitFailed())
  assert.equal(await usedOf('user'), 2)
})

test('an override neither checks nor counts limits', async () => {
  const { submitFailed, again, usedOf, work } = await open({ recipient: 1 })
  const id = await submitFailed()
  await again(id)
  await work()
  const { state, limits } = await again(id, { overrideLimits: 'tenant' })
  assert.deepEqual([state.cycle, limits, await usedOf('recipient')], [3, [], 1])
  await work()
  await assert.rejects(again(id), isLimited)
})

test("an override of the tenant's limits leaves those that an operator set", async () => {
  const { submitFailed, again, usedOf, work } = await open({ recipient: 1 }, 'operator')
  const id = await submitFailed()
  await again(id, { overrideLimits: 'tenant' })
  await work()
  assert.equal(await usedOf('recipient'), 1)
  await assert.rejects(again(id, { overrideLimits: 'tenant' }), isLimited)
  const { state, limits } = await again(id, { overrideLimits: 'operator' })
  assert.deepEqual([state.cycle, limits, await usedOf('recipient')], [3, [], 1])
})

test('refuses a message that cannot be resent before checking limits, and does not count it', async () => {
  const { deps, submit, submitFailed, again, usedOf } = await open({ recipient: 1 })
  const [first, erased] = [await submitFailed(), await submitFailed()]
  await again(first)
  const waiting = await submit()
  await erase(deps, { tenantId: TENANT, id: erased, traceId: TRACE })
  await assert.rejects(again(waiting), { code: 'CONFLICT', message: /still in flight/ })
  await assert.rejects(again(erased), { code: 'CONFLICT', message: /erased/ })
  await assert.rejects(again(erased, { by: 'replay' }), { code: 'CONFLICT' })
  await assert.rejects(again(deps.ids.messageId(START)), { code: 'NOT_FOUND' })
  assert.equal(await usedOf('recipient'), 1)
})

test('a resend that loses a race is not counted', async () => {
  const { deps, submitFailed, again, usedOf } = await open({ recipient: 1 })
  const id = await submitFailed()
  const log = overtaken(deps.log, () => erase(deps, { tenantId: TENANT, id, traceId: TRACE }))
  const request = { tenantId: TENANT, id, by: 'resend', traceId: TRACE, overrideLimits: false } as const
  await assert.rejects(admitResend({ ...deps, log }, request), { code: 'CONFLICT', message: /erased/ })
  assert.equal(await usedOf('recipient'), 0)
  await again(await submitFailed())
})

test('refuses a message whose content is erased while it is read', async () => {
  const { deps, submitFailed } = await open({ recipient: 1 })
  const id = await submitFailed()
  const log: typeof deps.log = {
    ...deps.log,
    async load(one) {
      await deps.log.shred(one)
      return deps.log.load(one)
    },
  }
  const request = { tenantId: TENANT, id, by: 'resend', traceId: TRACE, overrideLimits: false } as const
  await assert.rejects(admitResend({ ...deps, log }, request), { code: 'CONFLICT', message: /erased/ })
})

test('of concurrent resends with one left in the limit exactly one is sent', async () => {
  const { submitFailed, again, usedOf } = await open({ recipient: 1 })
  const ids = await Promise.all(Array.from({ length: 10 }, () => submitFailed()))
  const results = await Promise.allSettled(ids.map((id) => again(id)))
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  assert.equal(refused.length, 9)
  assert.ok(refused.every(isLimited))
  assert.equal(await usedOf('recipient'), 1)
})

test('does not resend while the limiter is unavailable', async () => {
  const { deps, submitFailed, stateOf } = await open({ recipient: 1 })
  const id = await submitFailed()
  const limiter = { ...deps.limiter, admit: () => Promise.reject(new Unavailable('unreachable')) }
  const request = { tenantId: TENANT, id, by: 'resend', traceId: TRACE, overrideLimits: false } as const
  await assert.rejects(admitResend({ ...deps, limiter }, request), Unavailable)
  assert.equal((await stateOf(id)).cycle, 1)
})
