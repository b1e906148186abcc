/** What a person wants of a breaker, where the broker knows something else than this process. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BREAKER, type Breaker, CLOSED } from '../../domain/routing/breaker.ts'
import { later } from '../../lib/time.ts'
import { NOON } from '../../ports/samples.contract.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { encodeBreaker, SharedBreaker, type SharedBreakerDeps } from './shared-breaker.ts'

const OPEN: Breaker = { kind: 'open', failures: 5, openedAt: NOON, retryAt: later(NOON, BREAKER.pause) }
const CLOSE = { kind: 'force', to: 'closed', at: NOON } as const

/** A broker that has been told of an open breaker, and a process that has not heard of it. */
function openUninformed(js: Partial<SharedBreakerDeps['js']> = {}) {
  const written: string[] = [encodeBreaker(OPEN)]
  const turns: string[] = []
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
    onWritten: (before, after, forced) => turns.push(`${before.kind} ${after.kind} ${forced}`),
    closing: new AbortController().signal,
  })
  return { shared, written, turns }
}

test('closing what seems to be closed here closes what others have opened', async () => {
  const { shared, written, turns } = openUninformed()
  assert.equal(shared.now, CLOSED)
  await shared.force(CLOSE)
  assert.deepEqual(written, [encodeBreaker(OPEN), encodeBreaker(CLOSED)])
  assert.deepEqual([shared.now, turns], [CLOSED, ['open closed true']])
})

test('what the broker cannot be told of is not done', async () => {
  const away = () => Promise.reject(new Error('away'))
  const { shared } = openUninformed({ publish: away, get: away })
  await assert.rejects(shared.force({ kind: 'force', to: 'open', at: NOON }), Unavailable)
  assert.equal(shared.now, CLOSED)
})
