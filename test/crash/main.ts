/** Runs crash schedules by the number, or one of them by its seed to look at it closely. */
import { parseArgs } from 'node:util'
import { runSchedule, toReport } from './schedule.ts'
import { type Counts, ENDINGS, FAULTS, total } from './tally.ts'

const USAGE = 'usage: main.ts [--schedules N] [--from SEED] [--seed SEED [--trace]]'
const SHOW_EVERY_MS = 1_000
/** Enough to see what is wrong. */
const MOST_FAILURES = 20

const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '10000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    trace: { type: 'boolean', default: false },
  },
})

process.exitCode = values.seed === undefined ? await runMany() : await runOne(toWhole(values.seed))

async function runOne(seed: number): Promise<number> {
  const result = await runSchedule(seed, values.trace ? (line) => process.stdout.write(line) : undefined)
  console.log(`seed ${seed}: ${result.steps} steps, ${result.digest}`)
  if (result.violations.length === 0) return 0
  console.log(toReport(result))
  return 1
}

async function runMany(): Promise<number> {
  const [schedules, from, began] = [toWhole(values.schedules), toWhole(values.from), performance.now()]
  const counts: Counts[] = []
  let [steps, failed, shown] = [0, 0, began]
  for (let done = 1; done <= schedules && failed < MOST_FAILURES; done += 1) {
    const result = await runSchedule(from + done - 1)
    counts.push(result.counts)
    steps += result.steps
    if (result.violations.length > 0) {
      failed += 1
      console.log(toReport(result))
    }
    if (performance.now() - shown < SHOW_EVERY_MS && done < schedules) continue
    shown = performance.now()
    const rate = Math.round((done / (shown - began)) * 1000)
    process.stderr.write(`${done} of ${schedules} schedules, ${rate}/s, ${steps} steps, ${failed} failed\n`)
  }
  for (const kind of [...FAULTS, ...ENDINGS]) console.log(`${String(total(counts, kind)).padStart(10)}  ${kind}`)
  return failed === 0 ? 0 : 1
}

function toWhole(text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value > 0) return value
  console.error(USAGE)
  process.exit(64)
}
