/** Runs many crash schedules, or one of them by its seed, optionally with a trace. */
import { parseArgs } from 'node:util'
import { type Counts, ENDINGS, FAULTS, total } from './counters.ts'
import { runSchedule, toReport } from './schedule.ts'

const USAGE = 'usage: main.ts [--schedules N] [--from SEED] [--seed SEED [--trace]]'
const PROGRESS_EVERY_MS = 1_000
const MAX_FAILURES = 20

const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '10000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    trace: { type: 'boolean', default: false },
  },
})

process.exitCode = values.seed === undefined ? await runMany() : await runOne(toPositiveInteger(values.seed))

async function runOne(seed: number): Promise<number> {
  const result = await runSchedule(seed, values.trace ? (line) => process.stdout.write(line) : undefined)
  console.log(`seed ${seed}: ${result.steps} steps, ${result.digest}`)
  if (result.violations.length === 0) return 0
  console.log(toReport(result))
  return 1
}

async function runMany(): Promise<number> {
  const [schedules, from, began] = [
    toPositiveInteger(values.schedules),
    toPositiveInteger(values.from),
    performance.now(),
  ]
  const counts: Counts[] = []
  let [steps, failed, shown] = [0, 0, began]
  for (let done = 1; done <= schedules && failed < MAX_FAILURES; done += 1) {
    const result = await runSchedule(from + done - 1)
    counts.push(result.counts)
    steps += result.steps
    if (result.violations.length > 0) {
      failed += 1
      console.log(toReport(result))
    }
    if (performance.now() - shown < PROGRESS_EVERY_MS && done < schedules) continue
    shown = performance.now()
    const rate = Math.round((done / (shown - began)) * 1000)
    process.stderr.write(`${done} of ${schedules} schedules, ${rate}/s, ${steps} steps, ${failed} failed\n`)
  }
  for (const kind of [...FAULTS, ...ENDINGS]) console.log(`${String(total(counts, kind)).padStart(10)}  ${kind}`)
  return failed === 0 ? 0 : 1
}

function toPositiveInteger(text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value > 0) return value
  console.error(USAGE)
  process.exit(64)
}
