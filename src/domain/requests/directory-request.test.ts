import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type EntryFields, parseEntry } from './directory-request.ts'

const ANA: EntryFields = {
  external_id: 'user-42',
  name: ' Ana Souza ',
  phone: '+5511987654321',
  email: 'ana@Example.com',
  locale: 'pt-br',
}
const PARSED = {
  externalId: 'user-42',
  name: 'Ana Souza',
  phone: '+5511987654321',
  email: 'ana@example.com',
  locale: 'pt-BR',
}

test('accepts all fields or none', () => {
  assert.deepEqual(parseEntry(ANA), { kind: 'ok', entry: PARSED })
  assert.deepEqual(parseEntry({}), { kind: 'ok', entry: {} })
})

test('a change keeps the fields it does not name, and null removes a field', () => {
  const existing = parseEntry(ANA)
  assert.equal(existing.kind, 'ok')
  const { phone: _, ...rest } = PARSED
  assert.deepEqual(parseEntry({ phone: null, name: 'Ana Lima' }, existing.entry), {
    kind: 'ok',
    entry: { ...rest, name: 'Ana Lima' },
  })
})

test('reports all invalid fields at once', () => {
  const bad = { external_id: 'a\0', name: ' ', phone: '5511', email: 'ana', locale: 'english!' }
  const parsed = parseEntry(bad)
  assert.equal(parsed.kind, 'bad')
  assert.deepEqual(
    parsed.problems.map(({ path }) => path),
    ['/external_id', '/name', '/phone', '/email', '/locale'],
  )
  for (const text of ['', '\ud800', 'a\nb', 'x'.repeat(129)]) {
    assert.equal(parseEntry({ external_id: text }).kind, 'bad', JSON.stringify(text))
  }
  assert.equal(parseEntry({ name: 'x'.repeat(201) }).kind, 'bad')
})
