import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryDomains } from '../../../test/memory/domains.ts'
import { memoryTenants } from '../../../test/memory/tenants.ts'
import type { Tenant } from '../../domain/access/tenant.ts'
import { tenantIn } from '../../domain/access/test-mode.ts'
import type { EmailAddress } from '../../domain/email/address.ts'
import type { SenderId } from '../../domain/message/sender-id.ts'
import { NOON, tenant } from '../../ports/samples.contract.ts'
import { someDomain } from '../../ports/sending-domains.contract.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { MAIL_CONTENT } from '../email.fixture.ts'
import { CONTENT } from '../gateway.fixture.ts'
import { mayBeRefused, type SenderDeps, senderProblem } from './check-sender.ts'

const [ACME, OTHER] = [tenant('acme'), tenant('other')]
const ofAcme: Tenant = { id: ACME, state: 'active', senders: ['Acme', 'acme.example'] }
const sms = (from: string) => ({ ...CONTENT, from: from as SenderId })
const mail = (from: string) => ({ ...MAIL_CONTENT, from: { address: from as EmailAddress } })

const open = (file: readonly Tenant[] = [ofAcme]) => ({ tenants: memoryTenants(file), domains: memoryDomains() })

test('names the field of the sender, and why it is refused', () => {
  const deps = open()
  const notListed = 'is neither among the senders of this tenant nor at a domain that it has verified'
  assert.deepEqual(senderProblem(deps, ACME, sms('Other')), { path: '/sender_id', message: notListed })
  assert.deepEqual(senderProblem(deps, ACME, mail('a@b.example')), { path: '/from', message: notListed })
  const ofAnother = 'belongs to another tenant'
  assert.deepEqual(senderProblem(deps, OTHER, sms('acme')), { path: '/sender_id', message: ofAnother })
  assert.deepEqual(senderProblem(deps, OTHER, mail('a@acme.example')), { path: '/from', message: ofAnother })
  assert.equal(senderProblem(deps, ACME, sms('ACME')), undefined)
  assert.equal(senderProblem(deps, OTHER, sms('Other')), undefined)
})

test('a message without a sender of its own is never refused', () => {
  const deps = open([{ ...ofAcme, senders: [] }])
  for (const content of [CONTENT, MAIL_CONTENT]) assert.equal(senderProblem(deps, ACME, content), undefined)
})

test('test mode has the senders of live mode', async () => {
  const deps = open()
  await deps.domains.add(someDomain({ tenantId: ACME, name: 'verified.example', verifiedAt: NOON }))
  const testTenant = tenantIn('test', ACME)
  for (const content of [sms('Acme'), mail('a@acme.example'), mail('a@verified.example')]) {
    assert.equal(senderProblem(deps, testTenant, content), undefined)
  }
  assert.ok(senderProblem(deps, testTenant, sms('Other')))
  assert.ok(senderProblem(deps, tenantIn('test', OTHER), mail('a@verified.example')))
})

test('a changed tenant and a verified domain apply to the next message', async () => {
  const deps = open([])
  const own = { createdAt: NOON, updatedAt: NOON }
  assert.equal(mayBeRefused(deps, OTHER), false)
  const added = await deps.tenants.add({ ...ofAcme, own })
  assert.ok(added)
  assert.equal(mayBeRefused(deps, OTHER), true)
  assert.ok(senderProblem(deps, OTHER, sms('Acme')))
  assert.ok(await deps.tenants.change({ ...added, senders: ['Else'] }))
  assert.equal(senderProblem(deps, OTHER, sms('Acme')), undefined)
  assert.equal(senderProblem(deps, OTHER, mail('a@shop.example')), undefined)
  await deps.domains.add(someDomain({ tenantId: ACME, name: 'shop.example', verifiedAt: NOON }))
  assert.ok(senderProblem(deps, OTHER, mail('a@shop.example')))
})

test('while tenants or domains are not loaded, a message with a sender is refused for now, and others are not', () => {
  const { tenants, domains } = open([])
  for (const deps of [
    { tenants: { ...tenants, isLoaded: () => false }, domains },
    { tenants, domains: { ...domains, isLoaded: () => false } },
  ] satisfies SenderDeps[]) {
    assert.throws(() => senderProblem(deps, ACME, sms('Acme')), Unavailable)
    assert.equal(senderProblem(deps, ACME, CONTENT), undefined)
  }
})
