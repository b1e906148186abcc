/** Manual changes of a breaker whose stored state differs from the local one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BREAKER, type Breaker, CLOSED } from '../../domain/routing/breaker.ts'
import { later } from '../../lib/time.ts'
import { NOON } from '../../ports/samples.contract.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { encodeBreaker, SharedBreaker, type SharedBreakerDeps } from './shared-breaker.ts'

const OPEN: Breaker = { kind: 'open', failures: 5, openedAt: NOON, retryAt: later(NOON, BREAKER.pause) }
const CLOSE = { kind: 'force', to: 'closed', at: NOON } as const

/** A broker with an open breaker, and a process that has not seen it. */
function openUninformed(js: Partial<SharedBreakerDeps['js']> = {}) {
  const written: string[] = [encodeBreaker(OPEN)]
  const transitions: string[] = []
  const shared = new SharedBreaker({
    js: {
      publish: async (_, text, headers) => {
        const last = Number(Object.values(headers ?? {})[0])
        return last === written.length ? written.push(String(text)) : undefined
      },
      get: async () =>
        ({ seq: written.length, subject: '', data: Buffer.from(written.at(-1) ?? ''), time: '' }) as never,
      ...js,
    },
    stream: 'BREAKERS',
    subject: 'breaker.acme',
    policy: BREAKER,
    onWritten: (before, after, forced) => transitions.push(`${before.kind} ${after.kind} ${forced}`),
    closing: new AbortController().signal,
  })
  return { shared, written, transitions }
}

test('closing a breaker that is closed locally closes one that others have opened', async () => {
  const { shared, written, transitions } = openUninformed()
  assert.equal(shared.current, CLOSED)
  await shared.force(CLOSE)
  assert.deepEqual(written, [encodeBreaker(OPEN), encodeBreaker(CLOSED)])
  assert.deepEqual([shared.current, transitions], [CLOSED, ['open closed true']])
})

test('a manual change is not made while the broker is unreachable', async () => {
  const unreachable = () => Promise.reject(new Error('unreachable'))
  const { shared } = openUninformed({ publish: unreachable, get: unreachable })
  await assert.rejects(shared.force({ kind: 'force', to: 'open', at: NOON }), Unavailable)
  assert.equal(shared.current, CLOSED)
})
