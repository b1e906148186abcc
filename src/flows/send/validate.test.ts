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

test('a message to an address needs no directory lookup', async () => {
  const find = async (): Promise<never> => assert.fail('unexpected lookup')
  assert.deepEqual(await check({ recipients: { find } }, CONTENT), VALID)
  assert.deepEqual(await check({ recipients: { find } }, MAIL_CONTENT), CHECKED)
})

test('an SMS to a directory recipient is valid while the recipient exists, whatever the current number', async () => {
  const recipients = memoryRecipients()
  await recipients.add(ANA)
  assert.deepEqual(await check({ recipients }, content), VALID)
  await recipients.change({ ...ANA, phone: '+10' as PhoneNumber })
  assert.deepEqual(await check({ recipients }, content), VALID)
  await recipients.remove(TENANT, recipientId)
  assert.equal(await codeOf({ recipients }, content), 'RECIPIENT_NOT_FOUND')
})

test('an email to a directory recipient is valid while the directory has that address', async () => {
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

test('S4-PIPE the checks run in the order of the design: of several that fail the first decides', async () => {
  const recipients = memoryRecipients()
  const failing = { ...mail, subject: 'two\nlines', html: '' }
  assert.equal(await codeOf({ recipients }, failing), 'INVALID_PAYLOAD')
  assert.equal(await codeOf({ recipients }, { ...failing, subject: mail.subject }), 'RECIPIENT_NOT_FOUND')
  await recipients.add(ANA_BY_MAIL)
  assert.equal(await codeOf({ recipients }, { ...failing, subject: mail.subject }), 'INVALID_TEMPLATE')
  assert.deepEqual(await check({ recipients }, mail), CHECKED)
})

test('a recipient that never existed or belongs to another tenant is not found', async () => {
  const recipients = memoryRecipients()
  for (const said of [content, mail]) assert.equal(await codeOf({ recipients }, said), 'RECIPIENT_NOT_FOUND')
  await recipients.add({ ...ANA_BY_MAIL, tenantId: 'other' as TenantId })
  for (const said of [content, mail]) assert.equal(await codeOf({ recipients }, said), 'RECIPIENT_NOT_FOUND')
})

test('an email to a suppressed address is invalid, in to, cc or bcc and regardless of case', async () => {
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

test('HTML with a flaw is invalid, and the detail names the flaw and its line', async () => {
  const detail = 'the HTML has a script element in line 7'
  const found = await check({ inspector: fakeInspector(() => true) }, MAIL_CONTENT)
  assert.deepEqual(found, { kind: 'invalid', check: 'TEMPLATE', code: 'INVALID_TEMPLATE', detail })
  assert.deepEqual(await check({ inspector: fakeInspector(() => false) }, MAIL_CONTENT), CHECKED)
})

test('messages are valid while the directory or the suppression list is unavailable; other errors are thrown', async () => {
  const failing = (error: Error) => ({ find: () => Promise.reject(error) })
  const [unavailable, bug] = [failing(new Unavailable('unreachable')), failing(new TypeError('a bug'))]
  assert.deepEqual(await check({ recipients: unavailable }, content), VALID)
  assert.deepEqual(await check({ recipients: unavailable, suppressions: unavailable }, mail), CHECKED)
  for (const said of [content, mail]) await assert.rejects(check({ recipients: bug }, said), TypeError)
  await assert.rejects(check({ suppressions: bug }, mail), TypeError)
})

test('an email waits while its HTML cannot be inspected', async () => {
  const inspector = { inspect: () => Promise.reject(new Unavailable('too many')) }
  await assert.rejects(check({ inspector }, MAIL_CONTENT), Unavailable)
})

type Wrong = 'gone' | 'elsewhere' | 'suppressed' | 'flawed'
type Fault = Readonly<{ check: string; code: string; change?: Partial<EmailContent>; wrong?: Wrong }>

/** The possible faults of an email, in the order of the checks. */
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

test('an email with any faults fails the first check in order, and passes without faults', async () => {
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

test('inspects HTML only after all other checks have passed', async () => {
  for (const fault of FAULTS.slice(0, -1)) {
    const [deps, said] = await withFaults([fault])
    const inspector = { inspect: async (): Promise<never> => assert.fail('unexpected inspection') }
    assert.equal(await codeOf({ ...deps, inspector }, said), fault.code)
  }
})
