import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TenantId } from '../domain/ids.ts'
import type { PhoneNumber } from '../domain/phone-number.ts'
import type { DirectoryEntry, RecipientId } from '../domain/recipient.ts'
import { memoryRecipients } from '../engines/memory/recipients.ts'
import { Unavailable } from '../ports/unavailable.ts'
import { CONTENT, START, TENANT } from './gateway.fixture.ts'
import { validate } from './validate.ts'

const recipientId = '3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11' as RecipientId
const content = { ...CONTENT, recipientId }
const ANA: DirectoryEntry = { id: recipientId, tenantId: TENANT, createdAt: START, updatedAt: START }
const state = { tenantId: TENANT }
const code = 'RECIPIENT_NOT_FOUND'

test('a message to an address asks nobody', async () => {
  const find = async (): Promise<never> => assert.fail('asked')
  assert.equal(await validate({ recipients: { find } }, state, CONTENT), undefined)
})

test('a message to somebody of the directory may go out as long as they are there, wherever they are reached by now', async () => {
  const recipients = memoryRecipients()
  await recipients.add(ANA)
  assert.equal(await validate({ recipients }, state, content), undefined)
  await recipients.change({ ...ANA, phone: '+10' as PhoneNumber })
  assert.equal(await validate({ recipients }, state, content), undefined)
  await recipients.remove(TENANT, recipientId)
  assert.equal((await validate({ recipients }, state, content))?.code, code)
})

test('somebody who never was there, or is there for another tenant, is not found', async () => {
  const recipients = memoryRecipients()
  assert.equal((await validate({ recipients }, state, content))?.code, code)
  await recipients.add({ ...ANA, tenantId: 'other' as TenantId })
  assert.equal((await validate({ recipients }, state, content))?.code, code)
})

test('while the directory is away messages go out, and a fault of ours is not hidden', async () => {
  const failing = (error: Error) => ({ recipients: { find: () => Promise.reject(error) } })
  assert.equal(await validate(failing(new Unavailable('away')), state, content), undefined)
  await assert.rejects(validate(failing(new TypeError('a bug')), state, content), TypeError)
})
