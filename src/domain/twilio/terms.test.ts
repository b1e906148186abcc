import assert from 'node:assert/strict'
import { test } from 'node:test'
import { later, seconds } from '../../lib/time.ts'
import { NOON, someContent } from '../../ports/samples.contract.ts'
import { toAsked } from '../message/message.ts'
import type { TwilioTerms } from './terms.ts'

const askedOf = (twilio: TwilioTerms, expiresIn = 60): string =>
  JSON.stringify(toAsked({ ...someContent(), twilio, expiresAt: later(NOON, seconds(expiresIn)) }))

test('a repeated call asks for the same, with another auth token and from another time', () => {
  const terms: TwilioTerms = { accountSid: 'AC1', validityPeriod: 60, signing: 'one' }
  assert.equal(askedOf(terms, 60), askedOf({ ...terms, signing: 'other' }, 75))
})

test('another period, service or deadline is another request', () => {
  const terms: TwilioTerms = { accountSid: 'AC1', validityPeriod: 60 }
  assert.notEqual(askedOf(terms), askedOf({ ...terms, validityPeriod: 61 }))
  assert.notEqual(askedOf(terms), askedOf({ ...terms, messagingServiceSid: 'MG1' }))
  assert.notEqual(askedOf({ accountSid: 'AC1' }, 60), askedOf({ accountSid: 'AC1' }, 61))
})

test('a message that was not sent through this API is asked for as before', () => {
  assert.ok(!JSON.stringify(toAsked(someContent())).includes('twilio'))
})
