/**
 * `npm test`: runs the tests in lanes (lanes.ts), with one PostgreSQL for all tests that do not stop it, and reports
 * them as `node --test` does. `npm run test:fast` runs the tests that need no server.
 */
import { setMaxListeners } from 'node:events'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { run } from 'node:test'
import type { TestEvent } from 'node:test/reporters'
import { type Batch, type Lane, SETS } from './lanes.ts'
import { Report } from './report.ts'
import { makeMemoryFolder } from './support/memory-folder.ts'
import { startSharedPostgres } from './support/postgres-server.ts'

/** A process that hangs fails under its name. */
const WITHIN_MS = 600_000
const BATCH = join(import.meta.dirname, 'batch.ts')

/** Ends the test processes when this process exits. */
const over = new AbortController()
setMaxListeners(0, over.signal)
process.once('exit', () => over.abort())

const nameOf = ([first = '', ...others]: Batch): string => (others.length === 0 ? first : `${dirname(first)}/`)

async function runBatch(batch: Batch, report: Report): Promise<void> {
  const begunAt = performance.now()
  const events: TestEvent[] = []
  const options = batch.length === 1 ? { files: [...batch] } : { files: [BATCH], argv: [...batch] }
  for await (const event of run({ ...options, concurrency: 1, timeout: WITHIN_MS, signal: over.signal })) {
    events.push(event)
  }
  report.add({ what: nameOf(batch), ms: performance.now() - begunAt }, events)
}

async function runLane({ batches, atOnce }: Lane, report: Report): Promise<void> {
  const waiting = batches.values()
  const work = async (): Promise<void> => {
    for (const batch of waiting) await runBatch(batch, report)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

const [name = 'all'] = process.argv.slice(2)
const lanes = new Map(Object.entries(SETS)).get(name)
if (lanes === undefined) throw new Error(`unknown set of tests ${name}, use one of ${Object.keys(SETS).join(', ')}`)
using memory = makeMemoryFolder()
const disk = tmpdir()
process.env['TMPDIR'] = memory?.path ?? disk
await using _postgres = name === 'all' ? await startSharedPostgres() : undefined
const report = new Report()
for (const lane of lanes()) {
  // What measures time or breaks a cluster does so on a disk.
  if (lane.isSerial) process.env['TMPDIR'] = disk
  await runLane(lane, report)
}
process.exitCode = (await report.close()) ? 0 : 1
