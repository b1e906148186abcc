import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseMessageId } from '../ids.ts'
import { parseBounceAddress, toBounceAddress } from './bounce-address.ts'

const DOMAIN = 'bounces.acme.example'
const ref = { messageId: parseMessageId('0190a8b0-c0de-7000-8000-000000000001') ?? assert.fail(), cycle: 2, attempt: 3 }
/** Differs for texts of different lengths, which is enough here. */
const mac = (text: string): string => text.length.toString(16).padStart(16, 'f')
const parse = (address: string, domain = DOMAIN) =>
  parseBounceAddress(address, domain, mac, (expected, given) => expected === given)

test('an address names its attempt, in any case', () => {
  const address = toBounceAddress(ref, DOMAIN, mac) ?? assert.fail()
  assert.match(address, /^bounces\+0190a8b0c0de70008000000000000001\.2\.3\.f+[0-9a-f]+@bounces\.acme\.example$/)
  assert.ok(address.slice(0, address.indexOf('@')).length <= 64)
  assert.deepEqual(parse(address), ref)
  assert.deepEqual(parse(address.toUpperCase()), ref)
})

test('nothing else is an address of ours', () => {
  const address = toBounceAddress(ref, DOMAIN, mac) ?? assert.fail()
  assert.equal(parse(address, 'acme.example'), undefined)
  assert.equal(parse(address.replace('.2.3.', '.2.33.')), undefined)
  assert.equal(parse(address.replace('bounces+', 'bounces')), undefined)
  assert.equal(parse(address.replace(/\.[0-9a-f]+@/, '@')), undefined)
  assert.equal(parse(address.replace('@', '@evil.example@')), undefined)
  assert.equal(parse(`x${address}`), undefined)
})

test('an attempt with very large numbers has no address', () => {
  assert.equal(toBounceAddress({ ...ref, cycle: 100_000, attempt: 10 }, DOMAIN, mac), undefined)
})
