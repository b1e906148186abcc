import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  parseAccountId,
  parseMessageId,
  parseOperatorId,
  parseProviderName,
  parseRouteId,
  parseTenantId,
} from './ids.ts'

test('parses a UUID as a message id, in lower case', () => {
  fc.assert(
    fc.property(fc.uuid(), (uuid) => {
      assert.equal(parseMessageId(uuid), uuid)
      assert.equal(parseMessageId(uuid.toUpperCase()), uuid)
    }),
  )
})

test('refuses a message id that is not a UUID', () => {
  const uuid = '018f4f5e-7c1a-7abc-9def-0123456789ab'
  const wrong = [
    '',
    'x',
    uuid.replaceAll('-', ''),
    `${uuid}0`,
    ` ${uuid}`,
    `${uuid}\n`,
    `{${uuid}}`,
    uuid.replace('8', 'g'),
  ]
  for (const text of wrong) assert.equal(parseMessageId(text), undefined, JSON.stringify(text))
})

const parsers = { parseTenantId, parseAccountId, parseRouteId, parseOperatorId, parseProviderName }

for (const [name, parse] of Object.entries(parsers)) {
  test(`${name} accepts up to 64 letters, digits, hyphens and underscores, and UUIDs`, () => {
    const good = ['a', '7', 'acme', 'Acme_2-x', 'a'.repeat(64), '018f4f5e-7c1a-7abc-9def-0123456789ab']
    for (const text of good) assert.equal(parse(text), text)
  })

  test(`${name} refuses characters with a meaning in paths, subjects or queries`, () => {
    const bad = ['', '-a', '_a', 'a'.repeat(65), 'a b', 'a.b', 'a*', 'a>', 'a/b', '..', "a'b", 'a\n', 'ação', 'a\0']
    for (const text of bad) assert.equal(parse(text), undefined, JSON.stringify(text))
  })
}
