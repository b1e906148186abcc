import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TenantId } from '../domain/ids.ts'
import { instant } from '../lib/time.ts'
import { retentionInWords, storedInWords } from './retention-words.ts'

const DEFAULTS = { profile: 'embedded', logDays: 0, retentionDays: 0, retentionRules: [], tenants: [] } as const
const ACME = 'acme' as TenantId

const words = (settings: Partial<Parameters<typeof retentionInWords>[0]>): string =>
  retentionInWords({ ...DEFAULTS, ...settings })

test('the retention is told with all its exceptions', () => {
  assert.equal(words({}), 'messages are kept forever')
  assert.equal(words({ logDays: 7 }), 'messages are kept forever')
  const retentionRules = [
    { channel: 'email', days: 365 } as const,
    { tenantId: ACME, days: 0 },
    { tenantId: ACME, channel: 'sms', days: 3 } as const,
  ]
  assert.equal(
    words({ retentionDays: 90, retentionRules }),
    'messages are deleted 90 days after they were created, once they have ended; by email: deleted after 365 days; ' +
      'of tenant acme: kept forever; of tenant acme by sms: deleted after 3 days',
  )
})

test('a tenant of the file has its own', () => {
  const tenants = [{ id: ACME, state: 'active', retentionDays: 30 } as const]
  assert.equal(words({ tenants }), 'messages are kept forever; of tenant acme: deleted after at most 30 days')
})

test('in a cluster it includes the log', () => {
  const profile = 'cluster'
  assert.equal(words({ profile }), 'messages are kept forever')
  assert.equal(words({ profile, logDays: 7 }), 'messages are kept forever; the log drops events after 7 days')
  assert.match(words({ profile, retentionDays: 90 }), /; the log drops events after 125 days$/)
})

test('the stored messages are told with the oldest', () => {
  assert.equal(storedInWords({ messages: 0 }), 'none')
  assert.equal(
    storedInWords({ messages: 1_234_567, oldest: instant(Date.parse('2030-01-31T12:00:00Z')) }),
    'about 1,234,567, the oldest from 2030-01-31T12:00:00.000Z',
  )
})
