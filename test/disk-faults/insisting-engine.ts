/**
 * An engine whose callers try again while it is unavailable, as workers and clients do. Everything that was answered can
 * be read at once, and nothing but `Unavailable` may go wrong.
 */
import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { NOON } from '../../src/ports/samples.contract.ts'
import { Unavailable } from '../../src/ports/unavailable.ts'
import type { PoweredEngine } from '../power/engine.ts'
import type { Call, Mark } from './marks.ts'

type Note = (mark: Mark) => void

const RETRY_MS = 10
/** Much longer than a disk stays full. */
const MOST_RETRIES = 300
const HANGING_MS = 10_000
/** The exit code of a process that does not answer. */
const HANGS = 70

export function insistingEngine(engine: PoweredEngine, note: Note): PoweredEngine {
  const { log, challenges, retention, index } = engine
  const insist = <Result>(call: Call, act: () => Promise<Result>) =>
    withinTime(call, note, () => retry(call, note, act))
  return {
    ...engine,
    log: {
      ...log,
      async append(entry) {
        const { id, state } = entry.event
        const result = await insist({ call: 'append', id }, () => log.append(entry))
        const query = { tenantId: state.tenantId, filter: {}, limit: 10 }
        await withinTime({ call: 'append', id }, note, () => index.search(query))
        // An old message may have been pruned.
        if (state.createdAt !== NOON) assert.equal((await log.read(state.id)).at(-1)?.event.id, id)
        return result
      },
      shred: (id, keep) => insist({ call: 'shred', id }, () => log.shred(id, keep)),
    },
    challenges: {
      ...challenges,
      begin: (challenge) => insist({ call: 'claim', id: challenge.id }, () => challenges.begin(challenge)),
      arm: (ref, terms) => insist({ call: 'claim', id: ref.id }, () => challenges.arm(ref, terms)),
      claim: (ref, now) => insist({ call: 'claim', id: ref.id }, () => challenges.claim(ref, now)),
    },
    retention: {
      ...retention,
      prune: (...args) => insist({ call: 'prune', id: '' }, () => retention.prune(...args)),
    },
  }
}

async function retry<Result>(call: Call, note: Note, act: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof Unavailable) || tries > MOST_RETRIES) throw error
      note({ kind: 'refused', ...call })
      await wait(RETRY_MS)
      note({ kind: 'retrying', ...call })
    }
  }
}

async function withinTime<Result>({ call, id }: Call, note: Note, act: () => Promise<Result>): Promise<Result> {
  const watch = setTimeout(() => {
    note({ kind: 'wrong', what: `${call} of ${id} takes more than ${HANGING_MS} ms` })
    process.exit(HANGS)
  }, HANGING_MS)
  try {
    return await act()
  } finally {
    clearTimeout(watch)
  }
}
