/** The baseline of (h): a process with one thread per core that only compares with bcrypt. */
import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { hashSync, verifySync } from '@node-rs/bcrypt'

export type RawOrder = Readonly<{ cost: number; warmUpSeconds: number; seconds: number }>
export type RawReport = Readonly<{ perSecond: number }>

/** Never equal, and as long as what Pombo hashes for a code. */
const newKeyed = (): string => randomBytes(32).toString('base64')

function compare({ cost, warmUpSeconds, seconds }: RawOrder): RawReport {
  const [hash, other] = [hashSync(newKeyed(), cost), newKeyed()]
  compareFor(warmUpSeconds, hash, other)
  return { perSecond: compareFor(seconds, hash, other) }
}

function compareFor(seconds: number, hash: string, other: string): number {
  const begunAt = performance.now()
  const until = begunAt + seconds * 1000
  let [compared, now] = [0, begunAt]
  while (now < until) {
    verifySync(other, hash)
    compared += 1
    now = performance.now()
  }
  return (compared * 1000) / (now - begunAt)
}

async function compareOnAllCores(order: RawOrder): Promise<RawReport> {
  const reports = Array.from({ length: availableParallelism() }, () => compareInThread(order))
  return { perSecond: (await Promise.all(reports)).reduce((sum, { perSecond }) => sum + perSecond, 0) }
}

const compareInThread = (order: RawOrder): Promise<RawReport> =>
  new Promise((resolve, reject) => {
    new Worker(new URL(import.meta.url), { workerData: order }).once('message', resolve).once('error', reject)
  })

if (isMainThread) {
  process.on('disconnect', () => process.exit())
  process.on('message', async (order: RawOrder) => process.send?.(await compareOnAllCores(order)))
} else parentPort?.postMessage(compare(workerData as RawOrder))
