/** What the audit log shows of an entry. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ACTIONS } from '../../../console/src/pages/audit-log/actions.ts'
import { fieldsOf, isChanged } from '../../../console/src/pages/audit-log/changes.ts'
import { renderOpenApi } from '../../../src/api/http/openapi.ts'

type Operation = Readonly<{ 'x-audit'?: readonly string[]; 'x-audit-sometimes'?: readonly string[] }>
type Document = Readonly<{ paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> }>

test('the filter offers exactly the actions that the API records', async () => {
  const { paths } = JSON.parse(await renderOpenApi()) as Document
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  const recorded = operations.flatMap((one) => [...(one['x-audit'] ?? []), ...(one['x-audit-sometimes'] ?? [])])
  assert.deepEqual([...ACTIONS], [...new Set(recorded)].sort())
})

test('nested fields are compared one by one, and lists of texts as a whole', () => {
  const before = { state: 'active', senders: ['Acme'], quotas: { routes: 10, limits: 5 }, name: null }
  const after = { state: 'active', senders: ['Acme', 'acme.example'], quotas: { routes: 20, limits: 5 }, name: 'Acme' }
  assert.deepEqual(fieldsOf(before, after).filter(isChanged), [
    { field: 'senders', before: 'Acme', after: 'Acme, acme.example' },
    { field: 'quotas.routes', before: '10', after: '20' },
    { field: 'name', before: undefined, after: 'Acme' },
  ])
})

test('an empty list is not the same as none, and items of a list are compared by place', () => {
  assert.deepEqual(fieldsOf({ senders: [] }, { senders: null }), [{ field: 'senders', before: '[]', after: undefined }])
  const [, weight] = fieldsOf({ steps: [{ to: 'a', weight: 1 }] }, { steps: [{ to: 'a', weight: 2 }] })
  assert.deepEqual(weight, { field: 'steps[0].weight', before: '1', after: '2' })
})

test('a snapshot compared with itself has no changes, and compared with nothing loses no field', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (snapshot) => {
      assert.deepEqual(fieldsOf(snapshot, snapshot).filter(isChanged), [])
      const removed = fieldsOf(snapshot, null)
      assert.ok(removed.every(({ after }) => after === undefined))
      assert.ok(
        removed.length >= Object.keys(snapshot).length || Object.keys(snapshot).some((name) => /[.[]/.test(name)),
      )
    }),
  )
})
