/** The long power-loss simulation: `npm run power -- --seeds 20 --cuts 100`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Failure, toReport } from './check-cuts.ts'
import { buildRecorder, findCompiler } from './compiler.ts'
import { writeFiles } from './folder-files.ts'
import { add, runEngine, runGateway } from './run.ts'
import { openScratch } from './scratch.ts'
import { runTakeOver } from './take-over-run.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '10' },
    from: { type: 'string', default: '1' },
    /** Between syncs; the power is also cut after every sync. */
    cuts: { type: 'string', default: '100' },
  },
})
const [seeds, from, between] = [toInteger(values.seeds), toInteger(values.from), toInteger(values.cuts)]
const compiler = findCompiler()
if (compiler === undefined) throw new Error('a C compiler is needed: install gcc')

/** Left behind with the files of every failure. */
const folder = mkdtempSync(join(tmpdir(), 'pombo-power-'))
const recorder = buildRecorder(compiler, folder)
using scratch = openScratch()
const totals = { steps: 0, checks: 0, failures: 0 }

for (let seed = from; seed < from + seeds; seed += 1) {
  const began = performance.now()
  const recordings = mkdtempSync(join(folder, 'recordings-'))
  const plan = { syncs: 'all', opening: 'all', between, starts: 4 } as const
  const options = { recorder, folder: recordings, scratch: scratch.path, seed, plan }
  const [engine, takeOver, gateway] = [await runEngine(options), await runTakeOver(options), await runGateway(options)]
  const { steps, checks, failures } = [takeOver, gateway].reduce(add, engine)
  rmSync(recordings, { recursive: true })
  totals.steps += steps
  totals.checks += checks
  totals.failures += failures.length
  const took = ((performance.now() - began) / 1000).toFixed(1)
  const parts = `engine ${engine.checks}, take-over ${takeOver.checks}, gateway ${gateway.checks}`
  console.log(`seed ${seed}: ${steps} steps, ${checks} power cuts (${parts}), ${failures.length} failed, ${took} s`)
  for (const failure of failures.slice(0, 3)) console.log(`${toReport(failure)}\n  files: ${keep(seed, failure)}`)
}
if (totals.failures === 0) rmSync(folder, { recursive: true })
console.log(
  `${seeds} seeds, ${totals.steps} recorded steps, ${totals.checks} power cuts, ${totals.failures} broken promises`,
)
process.exitCode = totals.failures === 0 ? 0 : 1

function toInteger(text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value > 0) return value
  console.error('usage: npm run power -- [--seeds N] [--from SEED] [--cuts N]')
  process.exit(64)
}

function keep(seed: number, { cut, files, lines }: Failure): string {
  const kept = join(folder, `seed-${seed}-cut-${cut.at}-${cut.fate}`)
  writeFiles(kept, files)
  writeFileSync(join(kept, 'steps.txt'), lines.join('\n'))
  return kept
}
