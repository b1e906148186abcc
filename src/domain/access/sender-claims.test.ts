import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant } from '../../lib/time.ts'
import type { EmailAddress } from '../email/address.ts'
import type { TenantId } from '../ids.ts'
import type { Content } from '../message/message.ts'
import type { PhoneNumber } from '../message/phone-number.ts'
import type { SenderId } from '../message/sender-id.ts'
import { judgeSender, type SenderVerdict, signingDomainOf, toListed } from './sender-claims.ts'
import { domainsOf, toSender } from './senders.ts'
import type { RecordStatus, SendingDomain } from './sending-domain.ts'

const [ACME, OTHER, THIRD] = ['acme', 'other', 'third'] as unknown as readonly [TenantId, TenantId, TenantId]
const rest = { metadata: {}, tags: [] }
const sms = (from: string): Content => ({
  channel: 'sms',
  kind: 'sms',
  to: '+15005550100' as PhoneNumber,
  from: from as SenderId,
  body: 'hi',
  ...rest,
})
const mail = (address: string): Content => ({
  channel: 'email',
  kind: 'email',
  to: 'ana@example.org' as EmailAddress,
  from: { address: address as EmailAddress },
  subject: 'hi',
  html: 'hi',
  ...rest,
})

const domainOf = (tenantId: TenantId, name: string, dkim: RecordStatus = 'valid'): [string, SendingDomain] => [
  name,
  {
    tenantId,
    name,
    token: 't',
    dkim: { selector: 's', publicKey: 'p', sealedKey: 'k' },
    checked: { at: instant(1), ownership: 'valid', dkim },
    verifiedAt: instant(1),
    createdAt: instant(0),
    version: 1,
  },
]

type Setting = Readonly<{
  lists?: Readonly<Record<string, readonly string[]>>
  verified?: readonly [string, SendingDomain][]
}>

/** The verdicts on a sender, by tenant. */
function judge({ lists = {}, verified = [] }: Setting, content: Content): readonly SenderVerdict[] {
  const listed = toListed(Object.entries(lists).map(([id, senders]) => ({ id: id as TenantId, senders })))
  const sender = toSender(content)
  assert.ok(sender !== undefined)
  return [ACME, OTHER, THIRD].map((id) =>
    judgeSender(sender, { id, hasList: lists[id] !== undefined }, { listed, verified: new Map(verified) }),
  )
}

test('without lists and verified domains everybody may use every sender', () => {
  for (const content of [sms('Acme'), sms('+15005550006'), mail('a@acme.example')]) {
    assert.deepEqual(judge({}, content), ['allowed', 'allowed', 'allowed'])
  }
})

test('a tenant with a list may use only that, and nobody else may use it', () => {
  const lists = { acme: ['Acme', 'acme.example'], other: ['Other'] }
  assert.deepEqual(judge({ lists }, sms('ACME')), ['allowed', 'not_listed', 'of_another'])
  assert.deepEqual(judge({ lists }, mail('a@acme.example')), ['allowed', 'not_listed', 'of_another'])
  assert.deepEqual(judge({ lists }, sms('Third')), ['not_listed', 'not_listed', 'allowed'])
  assert.deepEqual(judge({ lists: { acme: [] } }, sms('Acme')), ['not_listed', 'allowed', 'allowed'])
})

test('a sender in the lists of two tenants is for both', () => {
  const lists = { acme: ['12345'], other: ['12345'] }
  assert.deepEqual(judge({ lists }, sms('12345')), ['allowed', 'allowed', 'of_another'])
})

test('a verified domain is for its tenant, beside its list, and with all subdomains', () => {
  const verified = [domainOf(ACME, 'acme.example')]
  for (const address of ['a@acme.example', 'a@mail.eu.acme.example']) {
    assert.deepEqual(judge({ verified }, mail(address)), ['allowed', 'of_another', 'of_another'])
    assert.deepEqual(judge({ verified, lists: { acme: [] } }, mail(address)), ['allowed', 'of_another', 'of_another'])
  }
  assert.deepEqual(judge({ verified }, mail('a@example')), ['allowed', 'allowed', 'allowed'])
  assert.deepEqual(judge({ verified }, mail('a@notacme.example')), ['allowed', 'allowed', 'allowed'])
})

test('a verified domain gives its tenant no sender id, and keeps the others from one that is written like it', () => {
  const verified = [domainOf(ACME, 'acme.example')]
  for (const id of ['acme.example', 'Acme.Example.', 'mail.acme.example', 'acme .example']) {
    assert.deepEqual(judge({ verified }, sms(id)), ['allowed', 'of_another', 'of_another'], id)
    assert.deepEqual(judge({ verified, lists: { acme: [] } }, sms(id)), ['not_listed', 'of_another', 'of_another'], id)
  }
  const lists = { other: ['acme.example'] }
  assert.deepEqual(judge({ verified, lists }, sms('acme.example')), ['of_another', 'allowed', 'of_another'])
})

test('a list allows what it says, and keeps others without a list from what looks like it', () => {
  const lists = { acme: ['C&A', 'acme-shop.example', '*.acme-shop.example'], other: ['CA'] }
  assert.deepEqual(judge({ lists }, sms('c&a')), ['allowed', 'not_listed', 'of_another'])
  assert.deepEqual(judge({ lists }, sms('CA')), ['not_listed', 'allowed', 'of_another'])
  for (const id of ['C A', 'acmeshop.example', 'Acme Shop Example', 'm.acmeshop.example', 'm.acme-shop.example.']) {
    assert.deepEqual(judge({ lists }, sms(id)), ['not_listed', 'not_listed', 'of_another'], id)
  }
  assert.deepEqual(judge({ lists }, sms('m.acme-shop.example')), ['allowed', 'not_listed', 'of_another'])
  assert.deepEqual(judge({ lists }, mail('a@acmeshop.example')), ['not_listed', 'not_listed', 'allowed'])
})

test('no email looks like a sender id, nor the other way round', () => {
  const lists = { acme: ['AcmeExample', 'hello@acme.example'] }
  assert.deepEqual(judge({ lists }, mail('a@acme.example')), ['not_listed', 'allowed', 'allowed'])
  assert.deepEqual(judge({ lists }, sms('helloacmeexample')), ['not_listed', 'allowed', 'allowed'])
})

test('of two verified domains the closest decides', () => {
  const verified = [domainOf(ACME, 'platform.example'), domainOf(OTHER, 'shop.platform.example')]
  assert.deepEqual(judge({ verified }, mail('a@shop.platform.example')), ['of_another', 'allowed', 'of_another'])
  assert.deepEqual(judge({ verified }, mail('a@platform.example')), ['allowed', 'of_another', 'of_another'])
})

test('a list gives a tenant what another has verified, and takes nothing from that one', () => {
  const setting = { verified: [domainOf(ACME, 'acme.example')], lists: { other: ['news@acme.example'] } }
  assert.deepEqual(judge(setting, mail('news@acme.example')), ['allowed', 'allowed', 'of_another'])
  assert.deepEqual(judge(setting, mail('ceo@acme.example')), ['allowed', 'not_listed', 'of_another'])
})

test('signs with the closest domain of the tenant whose key is published', () => {
  const signer = (tenantId: TenantId, address: string, ...verified: [string, SendingDomain][]) =>
    signingDomainOf(new Map(verified), tenantId, domainsOf(address))?.name
  const [parent, child] = [domainOf(ACME, 'acme.example'), domainOf(ACME, 'mail.acme.example')]
  assert.equal(signer(ACME, 'a@mail.acme.example', parent, child), 'mail.acme.example')
  assert.equal(signer(ACME, 'a@eu.acme.example', parent, child), 'acme.example')
  assert.equal(signer(ACME, 'a@mail.acme.example', parent, domainOf(ACME, child[0], 'missing')), 'acme.example')
  assert.equal(signer(ACME, 'a@acme.example', domainOf(ACME, 'acme.example', 'mismatch')), undefined)
  assert.equal(signer(ACME, 'a@mail.acme.example', parent, domainOf(OTHER, child[0])), undefined)
  assert.equal(signer(OTHER, 'a@acme.example', parent), undefined)
  assert.equal(signer(ACME, 'a@acme.example'), undefined)
})
