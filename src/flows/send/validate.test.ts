import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { memoryRecipients } from '../../../test/memory/recipients.ts'
import { memorySuppressions } from '../../../test/memory/suppressions.ts'
import type { DirectoryEntry, RecipientId } from '../../domain/directory/recipient.ts'
import type { EmailAddress } from '../../domain/email/address.ts'
import type { MessageId, TenantId } from '../../domain/ids.ts'
import type { EmailContent } from '../../domain/message/message.ts'
import type { PhoneNumber } from '../../domain/message/phone-number.ts'
import { later, seconds } from '../../lib/time.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { fakeInspector, MAIL_CONTENT } from '../email.fixture.ts'
import { CONTENT, START, TENANT } from '../gateway.fixture.ts'
import { type ValidateDeps, validate } from './validate.ts'

const recipientId = '3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11' as RecipientId
const content = { ...CONTENT, recipientId }
const mail: EmailContent = { ...MAIL_CONTENT, recipientId }
const ANA: DirectoryEntry = { id: recipientId, tenantId: TENANT, createdAt: START, updatedAt: START }
const ANA_BY_MAIL: DirectoryEntry = { ...ANA, email: MAIL_CONTENT.to }
const clock = () => START
const MESSAGE = { id: '0198c000-0000-7000-8000-000000000001' as MessageId, tenantId: TENANT }
const VALID = { kind: 'valid' }
const CHECKED = { kind: 'valid', checks: ['INTEGRITY', 'RECIPIENT', 'TEMPLATE'] }

const check = (deps: Omit<ValidateDeps, 'clock'>, said: typeof content | typeof CONTENT | EmailContent) =>
  validate({ clock, ...deps }, MESSAGE, said)

async function codeOf(...call: Parameters<typeof check>): Promise<string | undefined> {
  const validation = await check(...call)
  return validation.kind === 'invalid' ? validation.code : undefined
}

test('a message to an address asks nobody', async () => {
  const find = async (): Promise<never> => assert.fail('asked')
  assert.deepEqual(await check({ recipients: { find } }, CONTENT), VALID)
  assert.deepEqual(await check({ recipients: { find } }, MAIL_CONTENT), CHECKED)
})

test('an SMS to somebody of the directory may go out as long as they are there, wherever they are reached by now', async () => {
  const recipients = memoryRecipients()
  await recipients.add(ANA)
  assert.deepEqual(await check({ recipients }, content), VALID)
  await recipients.change({ ...ANA, phone: '+10' as PhoneNumber })
  assert.deepEqual(await check({ recipients }, content), VALID)
  await recipients.remove(TENANT, recipientId)
  assert.equal(await codeOf({ recipients }, content), 'RECIPIENT_NOT_FOUND')
})

test('a mail to somebody of the directory may go out as long as they have that address', async () => {
  const recipients = memoryRecipients()
  await recipients.add(ANA_BY_MAIL)
  assert.deepEqual(await check({ recipients }, mail), CHECKED)
  await recipients.change({ ...ANA, email: 'other@acme.example' as EmailAddress })
  const detail = 'the directory has another address for the recipient'
  assert.deepEqual(await check({ recipients }, mail), {
    kind: 'invalid',
    check: 'RECIPIENT',
    code: 'INVALID_EMAIL',
    detail,
  })
  await recipients.change(ANA)
  assert.equal(await codeOf({ recipients }, mail), 'INVALID_EMAIL')
  await recipients.remove(TENANT, recipientId)
  assert.equal(await codeOf({ recipients }, mail), 'RECIPIENT_NOT_FOUND')
})

test('somebody who never was there, or is there for another tenant, is not found', async () => {
  const recipients = memoryRecipients()
  for (const said of [content, mail]) assert.equal(await codeOf({ recipients }, said), 'RECIPIENT_NOT_FOUND')
  await recipients.add({ ...ANA_BY_MAIL, tenantId: 'other' as TenantId })
  for (const said of [content, mail]) assert.equal(await codeOf({ recipients }, said), 'RECIPIENT_NOT_FOUND')
})

test('a mail does not go where nobody wants it, be it for them or a copy, and whatever the case', async () => {
  const suppressions = memorySuppressions()
  const expiresAt = later(START, seconds(1))
  const entry = { tenantId: TENANT, reason: 'complaint', createdAt: START } as const
  await suppressions.add({ ...entry, address: 'bob@acme.example' as EmailAddress, expiresAt })
  const bob = { address: 'Bob@acme.example' as EmailAddress }
  assert.deepEqual(await check({ suppressions }, MAIL_CONTENT), CHECKED)
  for (const changes of [{ to: bob.address }, { cc: [bob] }, { bcc: [bob] }]) {
    assert.equal(await codeOf({ suppressions }, { ...MAIL_CONTENT, ...changes }), 'RECIPIENT_SUPPRESSED')
  }
  assert.deepEqual(await check({ suppressions }, { ...MAIL_CONTENT, from: bob, replyTo: [bob] }), CHECKED)
  const afterwards = { suppressions, clock: () => expiresAt }
  assert.deepEqual(await validate(afterwards, MESSAGE, { ...MAIL_CONTENT, to: bob.address }), CHECKED)
})

test('html with a flaw does not go out, and which one is told by what it is and where', async () => {
  const detail = 'the HTML has a script element in line 7'
  const found = await check({ inspector: fakeInspector(() => true) }, MAIL_CONTENT)
  assert.deepEqual(found, { kind: 'invalid', check: 'TEMPLATE', code: 'INVALID_TEMPLATE', detail })
  assert.deepEqual(await check({ inspector: fakeInspector(() => false) }, MAIL_CONTENT), CHECKED)
})

test('while the directory or the list is away messages go out, and a fault of ours is not hidden', async () => {
  const failing = (error: Error) => ({ find: () => Promise.reject(error) })
  const [away, bug] = [failing(new Unavailable('away')), failing(new TypeError('a bug'))]
  assert.deepEqual(await check({ recipients: away }, content), VALID)
  assert.deepEqual(await check({ recipients: away, suppressions: away }, mail), CHECKED)
  for (const said of [content, mail]) await assert.rejects(check({ recipients: bug }, said), TypeError)
  await assert.rejects(check({ suppressions: bug }, mail), TypeError)
})

test('a mail waits for whoever reads html: what nobody has read does not go out', async () => {
  const inspector = { inspect: () => Promise.reject(new Unavailable('too many')) }
  await assert.rejects(check({ inspector }, MAIL_CONTENT), Unavailable)
})

type Wrong = 'gone' | 'elsewhere' | 'suppressed' | 'flawed'
type Fault = Readonly<{ check: string; code: string; change?: Partial<EmailContent>; wrong?: Wrong }>

/** What can be wrong with a mail, in the order in which it is looked at. */
const FAULTS: readonly Fault[] = [
  { check: 'INTEGRITY', code: 'INVALID_PAYLOAD', change: { headers: { Bcc: 'eve@evil.example' } } },
  { check: 'RECIPIENT', code: 'RECIPIENT_NOT_FOUND', wrong: 'gone' },
  { check: 'RECIPIENT', code: 'INVALID_EMAIL', wrong: 'elsewhere' },
  { check: 'RECIPIENT', code: 'RECIPIENT_SUPPRESSED', wrong: 'suppressed' },
  { check: 'TEMPLATE', code: 'INVALID_TEMPLATE', change: { subject: 'x'.repeat(151) } },
  { check: 'TEMPLATE', code: 'INVALID_TEMPLATE', wrong: 'flawed' },
]

async function withFaults(faults: readonly Fault[]): Promise<Parameters<typeof check>> {
  const has = (what: Wrong): boolean => faults.some(({ wrong }) => wrong === what)
  const [recipients, suppressions] = [memoryRecipients(), memorySuppressions()]
  const email = has('elsewhere') ? ('other@acme.example' as EmailAddress) : mail.to
  if (!has('gone')) await recipients.add({ ...ANA, email })
  const entry = { tenantId: TENANT, address: mail.to, reason: 'manual', createdAt: START } as const
  if (has('suppressed')) await suppressions.add(entry)
  const inspector = fakeInspector(() => has('flawed'))
  return [{ recipients, suppressions, inspector }, Object.assign({}, mail, ...faults.map(({ change }) => change))]
}

test('whatever is wrong with a mail, it fails by the first check of the order, and by none if nothing is', async () => {
  const property = fc.asyncProperty(fc.shuffledSubarray([...FAULTS]), async (faults) => {
    const first = FAULTS.find((fault) => faults.includes(fault))
    const validation = await check(...(await withFaults(faults)))
    if (first === undefined) return assert.deepEqual(validation, CHECKED)
    assert.ok(validation.kind === 'invalid')
    assert.deepEqual([validation.check, validation.code], [first.check, first.code])
    assert.doesNotMatch(validation.detail, /@|acme|evil|parcel/)
  })
  await fc.assert(property, { numRuns: 300 })
})

test('html is read only where all else is well', async () => {
  for (const fault of FAULTS.slice(0, -1)) {
    const [deps, said] = await withFaults([fault])
    const inspector = { inspect: async (): Promise<never> => assert.fail('read') }
    assert.equal(await codeOf({ ...deps, inspector }, said), fault.code)
  }
})
