import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { EmailAddress } from '../../domain/email/address.ts'
import type { TenantId } from '../../domain/ids.ts'
import type { EmailContent } from '../../domain/message/message.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { seconds } from '../../lib/time.ts'
import type { UsedUp } from '../access/quotas.ts'
import { SendQuotaExceeded } from '../errors.ts'
import { CONTENT, fakeProvider, openGateway, REJECTS, START, SUBMISSION, TENANT, TRACE } from '../gateway.fixture.ts'
import { type AdmitDeps, admit } from './admit.ts'
import { type AdmitResendDeps, admitResend } from './admit-resend.ts'

const SOUTH = 'south' as TenantId
const WAITING: UsedUp = { quota: 'waitingMessages', limit: 5, used: 5 }
const STORED: UsedUp = { quota: 'storedBytes', limit: 1_000, used: 1_024 }

/** A gateway in which a test decides who has used up what. */
function open() {
  const engine = openMemoryEngine({ clock: () => gateway.deps.clock() })
  const rejecting = fakeProvider(Array(20).fill(REJECTS))
  const gateway = openGateway({ openEngine: () => engine, ids: openIds() }, { providers: [rejecting] })
  const usedUp = new Map<TenantId, UsedUp>()
  const deps: AdmitDeps & AdmitResendDeps & typeof gateway.deps = {
    ...gateway.deps,
    ...engine,
    routes: gateway.deps.routes,
    sendQuotas: { usedUp: (tenantId) => usedUp.get(tenantId) },
    blind: (tenant, to) => `${tenant} ${to}`,
  }
  return { ...gateway, engine, deps, usedUp }
}

const isExceeded = (message: RegExp) => (error: unknown) =>
  error instanceof SendQuotaExceeded && error.code === 'SEND_QUOTA_EXCEEDED' && message.test(error.message)

test('a tenant that has used up a quota is refused, and its neighbour is not', async () => {
  const { deps, usedUp } = open()
  for (const [quota, message] of [
    [WAITING, /quota of 5 waiting messages is reached, with 5 waiting/],
    [STORED, /quota of 1000 bytes for stored messages is reached, with 1024 in use/],
  ] as const) {
    usedUp.set(TENANT, quota)
    await assert.rejects(admit(deps, SUBMISSION), isExceeded(message))
  }
  assert.equal(await deps.log.tip(), 0)
  assert.equal((await admit(deps, { ...SUBMISSION, tenantId: SOUTH })).replayed, false)
  usedUp.clear()
  assert.equal((await admit(deps, SUBMISSION)).replayed, false)
})

test('waiting helps against waiting messages, not against stored ones', async () => {
  const { deps, usedUp } = open()
  const refusalOf = (quota: UsedUp) => {
    usedUp.set(TENANT, quota)
    return admit(deps, SUBMISSION).catch((error: unknown) => error)
  }
  assert.equal(((await refusalOf(WAITING)) as SendQuotaExceeded).retryAfter, seconds(10))
  assert.equal(((await refusalOf(STORED)) as SendQuotaExceeded).retryAfter, undefined)
})

test('a call that repeats an earlier one gets the first answer', async () => {
  const { deps, usedUp } = open()
  const email: EmailContent = {
    channel: 'email',
    kind: 'email',
    to: 'ana@example.com' as EmailAddress,
    subject: 'Hi',
    html: '<p>Hi</p>',
    metadata: {},
    tags: [],
  }
  for (const content of [CONTENT, email]) {
    const keyed = { ...SUBMISSION, content, idempotencyKey: `key of ${content.channel}` }
    const first = await admit(deps, keyed)
    usedUp.set(TENANT, WAITING)
    assert.deepEqual(await admit(deps, keyed), { ...first, replayed: true })
    await assert.rejects(admit(deps, { ...keyed, idempotencyKey: 'another' }), isExceeded(/waiting/))
    usedUp.clear()
  }
})

test('a refused message does not count against limits', async () => {
  const { deps, usedUp } = open()
  const rule = { limit: 2, window: seconds(60), algorithm: 'fixed' } as const
  const key = { tenantId: TENANT, scope: 'tenant', key: TENANT } as const
  await deps.rules.set({ ...key, setBy: 'tenant', shown: '', rule, updatedAt: START })
  usedUp.set(TENANT, WAITING)
  for (let count = 0; count < 5; count += 1) await assert.rejects(admit(deps, SUBMISSION), isExceeded(/waiting/))
  const [counter] = deps.rules.counters([key])
  assert.ok(counter !== undefined)
  assert.equal((await deps.limiter.status(counter)).used, 0)
})

test('what was accepted before is sent, and is sent again only when there is room', async () => {
  const { deps, usedUp, submit, work, stateOf } = open()
  const id = await submit()
  usedUp.set(TENANT, WAITING)
  await work()
  assert.equal((await stateOf(id)).handoffState, 'failed')
  const again = () =>
    admitResend(deps, { tenantId: TENANT, id, by: 'resend', traceId: TRACE, overrideLimits: 'operator' })
  await assert.rejects(again(), isExceeded(/waiting/))
  assert.equal((await stateOf(id)).cycle, 1)
  usedUp.clear()
  assert.equal((await again()).state.cycle, 2)
})

test('a message that cannot be resent is refused for that reason', async () => {
  const { deps, usedUp, submit } = open()
  const id = await submit()
  usedUp.set(TENANT, WAITING)
  await assert.rejects(
    admitResend(deps, { tenantId: TENANT, id, by: 'resend', traceId: TRACE, overrideLimits: false }),
    { code: 'CONFLICT' },
  )
})
