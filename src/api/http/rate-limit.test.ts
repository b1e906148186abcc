import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TenantId } from '../../domain/ids.ts'
import type { LimitStatus, Rule } from '../../domain/limits/limits.ts'
import { millis, seconds } from '../../lib/time.ts'
import { rateLimitHeaders } from './rate-limit.ts'

const RULE: Rule = { limit: 100, window: seconds(60), algorithm: 'fixed' }

const someStatus = (
  wanted: Partial<LimitStatus> & { scope?: 'tenant' | 'recipient' | 'otp'; rule?: Rule },
): LimitStatus => {
  const { scope = 'tenant', rule = RULE, used = 0, resetsIn = millis(0) } = wanted
  return { counter: { tenantId: 'acme' as TenantId, scope, key: 'secret hash', rule, version: 3 }, used, resetsIn }
}

test('no headers without a limit', () => {
  assert.deepEqual(rateLimitHeaders([]), {})
})

test('lists every limit with quota, window, remaining and reset', () => {
  const few: Rule = { limit: 5, window: seconds(600), algorithm: 'sliding' }
  const statuses = [
    someStatus({ used: 58, resetsIn: seconds(17) }),
    someStatus({ scope: 'recipient', rule: few, used: 5, resetsIn: seconds(600) }),
  ]
  assert.deepEqual(rateLimitHeaders(statuses), {
    'ratelimit-policy': '"tenant";q=100;w=60, "recipient";q=5;w=600',
    ratelimit: '"tenant";r=42;t=17, "recipient";r=0;t=600',
  })
})

test('rounds times up and never reports a negative remainder', () => {
  const statuses = [someStatus({ used: 101, resetsIn: millis(1) }), someStatus({ scope: 'otp' })]
  assert.equal(rateLimitHeaders(statuses).ratelimit, '"tenant";r=0;t=1, "otp";r=100;t=0')
})

test('headers reveal no key', () => {
  assert.doesNotMatch(JSON.stringify(rateLimitHeaders([someStatus({ scope: 'recipient' })])), /secret/)
})
