/** How the console shows recipients and states. Imported dynamically: the server's compiler does not know browser types. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maskEmailAddress, parseEmailAddress } from '../../../src/domain/email/address.ts'
import { maskPhoneNumber, parsePhoneNumber } from '../../../src/domain/message/phone-number.ts'
import { STATUSES } from '../../../src/domain/message/states.ts'
import { TEXTS } from '../texts.ts'

type Addressed = Readonly<{ to: string | null; calling_code?: string | null; country?: string | null }>

const load = async <File>(path: string): Promise<File> =>
  (await import(new URL(`../../../console/src/ui/${path}`, import.meta.url).href)) as File

const { toRecipient, toShortId } = await load<{
  toRecipient: (message: Addressed) => string
  toShortId: (id: string) => string
}>('recipient.ts')
const { toCountryName } = await load<{ toCountryName: (code: string) => string }>('country.ts')
const { toStateText } = await load<{ toStateText: (state: string) => string }>('state-text.ts')

test('a number has its calling code and four digits, as far as the gateway knows them', () => {
  const [phone, email] = [parsePhoneNumber('+15005550100'), parseEmailAddress('ana@mail.example')]
  assert.ok(phone !== undefined && email !== undefined)
  assert.equal(toRecipient({ to: maskPhoneNumber(phone), calling_code: '1' }), '+1 ••• 0100')
  assert.equal(toRecipient({ to: maskEmailAddress(email) }), 'a•••@mail.example')
  assert.equal(toRecipient({ to: '+*********0100', calling_code: '351' }), '+351 ••• 0100')
  for (const older of [{}, { calling_code: null }])
    assert.equal(toRecipient({ to: '+*******0100', ...older }), '+••• 0100')
})

test('ids of users, who is erased, and short ids', () => {
  assert.equal(toRecipient({ to: 'u-4711' }), 'u-4711')
  assert.equal(toRecipient({ to: null, calling_code: '55' }), TEXTS.common.erasedRecipient)
  assert.equal(toShortId('3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11'), '3f1c9f0e')
})

test('countries have names, and states have words, unless they are unknown', () => {
  assert.notEqual(toCountryName('BR'), 'BR')
  assert.notEqual(toCountryName('XK'), 'XK')
  for (const status of STATUSES) assert.match(toStateText(status), /^[A-Z]/)
  assert.equal(toStateText('handed_off'), 'Handed off')
  assert.equal(toStateText('teleported'), 'teleported')
})
