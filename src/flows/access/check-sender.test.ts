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
  const problems = [
    senderProblem(deps, ACME, sms('Other')),
    senderProblem(deps, ACME, mail('a@b.example')),
    senderProblem(deps, OTHER, sms('acme')),
    senderProblem(deps, OTHER, mail('a@acme.example')),
  ]
  assert.deepEqual(problems, [
    { path: '/sender_id', message: 'is not among the senders of this tenant' },
    { path: '/from', message: 'is neither among the senders of this tenant nor at a domain that it has verified' },
    { path: '/sender_id', message: 'belongs to another tenant, or looks like a sender that does' },
    { path: '/from', message: 'belongs to another tenant' },
  ])
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

test('a verified domain adds no sender id to a list, and keeps others from the one that looks like it', async () => {
  const deps = open([{ ...ofAcme, senders: [] }])
  await deps.domains.add(someDomain({ tenantId: ACME, name: 'secure.bank', verifiedAt: NOON }))
  assert.equal(senderProblem(deps, ACME, mail('a@secure.bank')), undefined)
  assert.deepEqual(senderProblem(deps, ACME, sms('secure.bank')), {
    path: '/sender_id',
    message: 'is not among the senders of this tenant',
  })
  for (const id of ['secure.bank', 'Secure.Bank', 'secure.bank.', 'my.secure.bank']) {
    assert.ok(senderProblem(deps, OTHER, sms(id)), id)
  }
  const unlisted = open([])
  await unlisted.domains.add(someDomain({ tenantId: ACME, name: 'secure.bank', verifiedAt: NOON }))
  assert.equal(senderProblem(unlisted, ACME, sms('secure.bank')), undefined)
})

test('what looks like a listed sender is refused to tenants without a list', () => {
  const deps = open([{ id: ACME, state: 'active', senders: ['Globex', '+15005550006', '*.globex.example'] }])
  for (const id of [
    ...['Globex.', 'Globex-', 'Glo bex', 'Globex_', 'G&lo+bex', 'ＧＬＯＢＥＸ'],
    ...['0015005550006', '1-500-555-0006', '00 1500 5550006', '1_500_5550006'],
    ...['mail.globex.example', 'a.b.globex.example', 'mail.globex.example.', 'mail .globex. example'],
  ]) {
    const refused = { path: '/sender_id', message: 'belongs to another tenant, or looks like a sender that does' }
    assert.deepEqual(senderProblem(deps, OTHER, sms(id)), refused, id)
  }
  for (const id of ['Globe', 'Globex2', '5005550006', 'globex.example', 'mail.globexx.example']) {
    assert.equal(senderProblem(deps, OTHER, sms(id)), undefined, id)
  }
})
