import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NameFields } from './request-fields.ts'
import { parseNames } from './request-names.ts'

const ID = '3F1C9F0E-5f0a-8c6e-9d57-0b6f0a3c2e11'

test('parses recipients by id or external id, and templates by name, locale and data', () => {
  assert.deepEqual(parseNames({}), { names: {}, problems: [] })
  assert.deepEqual(parseNames({ recipient_id: ID }).names, { recipient: { id: ID.toLowerCase() } })
  assert.deepEqual(parseNames({ recipient_external_id: 'x' }).names, { recipient: { externalId: 'x' } })
  const template = { name: 'hi', locale: 'pt-br', data: { b: 1, a: [{ d: 1, c: 2 }] } }
  const { names } = parseNames({ template })
  assert.equal(JSON.stringify(names.template), '{"name":"hi","locale":"pt-BR","data":{"a":[{"c":2,"d":1}],"b":1}}')
  assert.deepEqual(parseNames({ template: { name: 'hi' } }).names, { template: { name: 'hi', data: {} } })
})

test('drops invalid names and reports them by field', () => {
  const deep = JSON.parse(`${'{"a":'.repeat(30)}1${'}'.repeat(30)}`)
  const bad: NameFields = { recipient_id: 'nobody', template: { name: 'hi', locale: 'x!', data: deep } }
  const { names, problems } = parseNames(bad)
  assert.deepEqual(names, {})
  assert.deepEqual(
    problems.map(({ path }) => path),
    ['recipient_id', 'template/locale', 'template/data'],
  )
})
