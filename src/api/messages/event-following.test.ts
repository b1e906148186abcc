import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageId, TenantId } from '../../domain/ids.ts'
import type { MessageEvent } from '../../domain/message/events.ts'
import { instant } from '../../lib/time.ts'
import type { Followed, Position } from '../../ports/event-log.ts'
import { Following, type Page } from './event-following.ts'

const ACME = 'acme' as TenantId

const created = (position: number): Followed => {
  const states = { channel: 'sms', handoffState: 'queued', providerState: 'unknown', expired: false }
  const state = { id: 'one', tenantId: ACME, accountId: 'shop', createdAt: instant(0), ...states }
  const event = { at: instant(0), attempt: 0, fact: { kind: 'MessageCreated' }, state } as unknown as MessageEvent
  return { position: position as Position, messageId: 'one' as MessageId, event } as Followed
}

const take = (following: Following, through: number, events: readonly Followed[] = []): void =>
  following.take({ through: through as Position, events })

test('an event that happens while the first stream of its tenant is being added reaches that stream', async () => {
  const { promise: delivered, resolve } = Promise.withResolvers<Page>()
  const streams = new Set<TenantId>()
  const following = new Following(resolve, (tenantId) => streams.has(tenantId))
  take(following, 0)
  take(following, 1, [created(1)])
  streams.add(ACME)
  const { frames, before } = await delivered
  following.end()
  assert.deepEqual(
    frames.get(ACME)?.map(({ position }) => position),
    [1],
  )
  assert.equal(before, 0)
})

test('events of tenants without streams are not encoded', async () => {
  const { promise: delivered, resolve } = Promise.withResolvers<Page>()
  const following = new Following(resolve, () => false)
  take(following, 1, [created(1)])
  assert.equal((await delivered).frames.size, 0)
  following.end()
})
