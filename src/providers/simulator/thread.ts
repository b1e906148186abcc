/**
 * The thread that owns the simulator's file. Group commit: what arrives while a commit is under way, or shortly after
 * it, shares the next one, and is answered in one message.
 */
import { serveThread } from '../../lib/thread-rpc.ts'
import { attempt, SimulatorStore } from './store.ts'
import type { ReceiptPosition, Receptions, SimulatorMethods, ThreadData, Written } from './wire.ts'

/** The least time between two commits: each costs several writes and a sync, whatever it contains. */
const COMMIT_EVERY_MS = 2

await serveThread<SimulatorMethods>((data: ThreadData) => {
  const store = new SimulatorStore(data)
  const delivered = new Map<string, ReceiptPosition>()
  let receptions: Receptions[] = []
  let waiting: ((written: Written) => void)[] = []
  let cancelCommit = (): void => undefined
  let committedAt = 0
  let filing: NodeJS.Immediate | undefined

  function commit(): void {
    const [received, answers] = [receptions, waiting]
    receptions = []
    waiting = []
    const written = store.write(received, delivered)
    committedAt = performance.now()
    for (const answer of answers) answer(written)
    // In the next turn, after the answers are posted.
    filing = setImmediate(() => store.fileChapter())
  }

  function scheduleCommit(): () => void {
    const wait = committedAt + COMMIT_EVERY_MS - performance.now()
    if (wait > 0) {
      const timer = setTimeout(commit, wait)
      return () => clearTimeout(timer)
    }
    const next = setImmediate(commit)
    return () => clearImmediate(next)
  }

  /** Reads after the commit, so that no answer contains what a failed commit takes back. */
  function afterCommit<Answer>(read: (written: Written) => Answer): Promise<Answer> {
    if (waiting.length === 0) cancelCommit = scheduleCommit()
    return new Promise((resolve, reject) => {
      waiting.push((written) => {
        const failed = attempt(() => resolve(read(written)))
        if (failed !== undefined) reject(new Error(failed.errstr))
      })
    })
  }

  return {
    methods: {
      owed: () => store.owed(),
      receive(received) {
        receptions.push(received)
        return afterCommit((written) => written)
      },
      collect(callback, now, position) {
        delivered.set(callback, position)
        return afterCommit(() => store.collect(callback, now, position))
      },
      markDelivered(positions) {
        for (const [callback, position] of positions) delivered.set(callback, position)
        return afterCommit(() => undefined)
      },
      find: (attemptId) => afterCommit(() => store.find(attemptId)),
      inbox: (query) => afterCommit(() => store.inbox(query)),
      mail: (query) => afterCommit(() => store.mail(query)),
      countDuplicates: () => afterCommit(() => store.countDuplicates()),
    },
    async [Symbol.asyncDispose]() {
      cancelCommit()
      commit()
      clearImmediate(filing)
      store.close()
    },
  }
})
