/** Any text as the cursor of any list is refused by name, or begins a page. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openFixture, SMS } from '../server.fixture.ts'

const LISTS = [
  '/v1/messages',
  '/v1/messages?status=failed',
  '/v1/messages?tag=welcome',
  '/v1/messages?q=welcome',
  '/v1/messages?total=true',
  '/v1/dead-letters',
  '/v1/email/logs',
  '/v1/erasures',
  '/v1/recipients',
  '/v1/suppressions',
  '/v1/templates',
  '/v1/limits',
  '/v1/api-keys',
  '/v1/audit',
  '/v1/usage?group_by=day',
] as const

/** Any text, and what looks like a cursor. */
const cursor = fc.oneof(
  fc.string({ minLength: 1, maxLength: 60, unit: 'binary' }).filter((text) => !text.includes('\0')),
  fc.stringMatching(/^[-0-9a-z]{1,12}[./ ][-0-9a-z]{1,40}$/),
  fc.string({ maxLength: 30 }).map((text) => Buffer.from(`["${text}"]`).toString('base64url')),
)

const withCursor = (path: string, text: string): string =>
  `${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(text.toWellFormed())}`

test('any cursor of any list is refused by its name, or begins a page', { timeout: 120_000 }, async () => {
  await using api = await openFixture({ openEngine: openMemoryEngine, ids: openIds() })
  const caller = await api.caller({ scope: 'admin' })
  await caller('POST', '/v1/sms/send', SMS)
  const refused = new Set<string>()
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...LISTS), cursor, async (path, text) => {
      const answer = await caller('GET', withCursor(path, text))
      if (answer.statusCode === 200) return
      refused.add(path)
      const { error_code: code, details } = answer.json()
      assert.deepEqual([answer.statusCode, code, details[0].path], [400, 'VALIDATION_ERROR', '/cursor'], path)
    }),
    { numRuns: 600 },
  )
  assert.deepEqual([...refused].toSorted(), [...LISTS].toSorted())
})

test('a malformed cursor is refused by name by every list', async () => {
  await using api = await openFixture({ openEngine: openMemoryEngine, ids: openIds() })
  const caller = await api.caller({ scope: 'admin' })
  for (const path of LISTS) {
    const { statusCode, ...answer } = await caller('GET', withCursor(path, 'not a cursor!'))
    assert.deepEqual([statusCode, answer.json().details[0].path], [400, '/cursor'], path)
  }
})
