import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { Tenant } from '../../domain/access/tenant.ts'
import type { EmailAddress } from '../../domain/email/address.ts'
import type { SenderId } from '../../domain/message/sender-id.ts'
import { isHandoffOver } from '../../domain/message/states.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { NOON, tenant } from '../../ports/samples.contract.ts'
import { someDomain } from '../../ports/sending-domains.contract.ts'
import { MAIL_CONTENT, MAIL_SUBMISSION } from '../email.fixture.ts'
import { Refusal } from '../errors.ts'
import { CONTENT, fakeProvider, openGateway, REJECTS, SUBMISSION, TENANT, TRACE } from '../gateway.fixture.ts'
import { type AdmitDeps, admit } from './admit.ts'
import { type AdmitResendDeps, admitResend } from './admit-resend.ts'

const own = { createdAt: NOON, updatedAt: NOON }
const OURS: Tenant = { id: TENANT, state: 'active', senders: ['North'] }
const THEIRS: Tenant = { id: tenant('south'), state: 'active', senders: ['South', 'south.example'] }

const bySms = (from: string) => ({ ...SUBMISSION, content: { ...CONTENT, from: from as SenderId } })
const byMail = (from: string) => ({
  ...MAIL_SUBMISSION,
  content: { ...MAIL_CONTENT, from: { address: from as EmailAddress }, replyTo: [{ address: THEIR_ADDRESS }] },
})
const THEIR_ADDRESS = 'hello@south.example' as EmailAddress

/** A gateway with these tenants whose provider rejects every message, so that all can be resent. */
function open(tenants: readonly Tenant[]) {
  const engine = openMemoryEngine({ clock: () => gateway.deps.clock(), filedTenants: tenants })
  const rejecting = fakeProvider(Array(20).fill(REJECTS))
  const gateway = openGateway({ openEngine: () => engine, ids: openIds() }, { providers: [rejecting] })
  const deps: AdmitDeps & AdmitResendDeps & typeof gateway.deps = {
    ...gateway.deps,
    ...engine,
    routes: gateway.deps.routes,
    blind: (tenant, to) => `${tenant} ${to}`,
  }
  return { ...gateway, deps }
}

/** Checks that the sender in this field is refused and nothing is stored. */
async function refused(deps: AdmitDeps, submission: Parameters<typeof admit>[1], path: string): Promise<void> {
  const tip = await deps.log.tip()
  await assert.rejects(
    async () => admit(deps, submission),
    (error) => {
      assert.ok(error instanceof Refusal)
      assert.equal(error.code, 'SENDER_NOT_ALLOWED')
      assert.deepEqual(
        (error.details as { path: string }[]).map((problem) => problem.path),
        [path],
      )
      assert.ok(!error.message.includes('south'), 'it does not say whose it is')
      return true
    },
  )
  assert.equal(await deps.log.tip(), tip)
}

test("stores nothing from a sender that is not on the tenant's list, or that belongs to another tenant", async () => {
  const { deps } = open([OURS, THEIRS])
  await refused(deps, bySms('Else'), '/sender_id')
  await refused(deps, byMail('a@else.example'), '/from')
  assert.ok(await admit(deps, bySms('NORTH')))
  assert.ok(await admit(deps, SUBMISSION))
  const unlisted = open([THEIRS]).deps
  await refused(unlisted, bySms('south'), '/sender_id')
  await refused(unlisted, byMail(THEIR_ADDRESS), '/from')
  assert.ok(await admit(unlisted, bySms('Else')))
  assert.ok(await admit(unlisted, byMail('a@else.example')), 'reply_to is free')
})

test('a verified domain is allowed beside the list', async () => {
  const { deps } = open([OURS])
  await refused(deps, byMail('a@north.example'), '/from')
  await deps.domains.add(someDomain({ tenantId: TENANT, name: 'north.example', verifiedAt: NOON }))
  assert.ok(await admit(deps, byMail('a@north.example')))
})

test('a repeated call gets its first answer, even after the sender was taken away', async () => {
  const { deps } = open([])
  const keyed = { ...bySms('South'), idempotencyKey: 'order 17' }
  const first = await admit(deps, keyed)
  await deps.tenants.add({ ...THEIRS, own })
  const again = await admit(deps, keyed)
  assert.deepEqual([again.id, again.replayed], [first.id, true])
  await refused(deps, { ...keyed, idempotencyKey: 'order 18' }, '/sender_id')
})

test('a resend is refused once its sender was taken away, and others are not', async () => {
  const { deps, work, stateOf } = open([])
  const ids = []
  for (const submission of [bySms('South'), bySms('North'), SUBMISSION]) {
    const { id } = await admit(deps, submission)
    while (!isHandoffOver((await stateOf(id)).handoffState)) await work()
    ids.push(id)
  }
  await deps.tenants.add({ ...THEIRS, own })
  const resendAll = ids.map((id) =>
    admitResend(deps, { tenantId: TENANT, id, by: 'resend', traceId: TRACE, overrideLimits: 'tenant' }).then(
      ({ state }) => state.cycle,
      (error: Refusal) => error.code,
    ),
  )
  assert.deepEqual(await Promise.all(resendAll), ['SENDER_NOT_ALLOWED', 2, 2])
})

test('a resend by another tenant is not found, whatever the sender', async () => {
  const { deps } = open([THEIRS])
  const { id } = await admit(deps, SUBMISSION)
  const request = { tenantId: tenant('south'), id, by: 'resend', traceId: TRACE, overrideLimits: false } as const
  await assert.rejects(admitResend(deps, request), { code: 'NOT_FOUND' })
})
