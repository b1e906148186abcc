/** The faults at length, each on a cluster of its own: `npm run faults -- [name …] [--kills N] [--seconds N] [--rate N]`. */
import { parseArgs } from 'node:util'
import { FAULTS } from './all.ts'
import { type Fault, type Plan, runFault } from './fault.ts'
import { openSite } from './site.ts'

const MOST_PROBLEMS = 20
const NAMES = FAULTS.map(({ name }) => name).join(' | ')
const USAGE = `usage: main.ts [${NAMES}] … [--kills N] [--seconds N] [--rate N] [--seed N]`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kills: { type: 'string' },
    seconds: { type: 'string' },
    rate: { type: 'string', default: '100' },
    seed: { type: 'string', default: String((Date.now() % 1_000_000) + 1) },
  },
})

const chosen = FAULTS.filter(({ name }) => positionals.length === 0 || positionals.some((given) => names(given, name)))
if (positionals.some((given) => !FAULTS.some(({ name }) => names(given, name)))) {
  console.error(USAGE)
  process.exit(64)
}
const results: boolean[] = []
for (const fault of chosen) results.push(await run(fault))
process.exitCode = results.every(Boolean) ? 0 : 1

/** `slow` is short for all that are slow. */
function names(given: string, name: string): boolean {
  return given === name || name.startsWith(`${given}-`)
}

async function run(fault: Fault): Promise<boolean> {
  const plan: Plan = {
    kills: toWhole(values.kills) ?? fault.usual.kills,
    seconds: toWhole(values.seconds) ?? fault.usual.seconds,
    rate: toWhole(values.rate) ?? 0,
    seed: toWhole(values.seed) ?? 0,
    onProgress: (text) => process.stderr.write(`  ${text}\n`),
  }
  console.log(`${fault.name}: ${fault.promise} (${plan.rate}/s, seed ${plan.seed})`)
  await using site = await openSite(fault.name.startsWith('slow'))
  const lack = fault.lacks?.(site)
  if (lack !== undefined) {
    console.log(`${fault.name}: cannot be run, ${lack}`)
    return false
  }
  const { problems, figures, slowest } = await runFault(site, fault, plan)
  for (const [name, figure] of Object.entries(figures)) console.log(`${String(figure).padStart(10)}  ${name}`)
  console.log(`  the slowest: ${slowest}`)
  for (const problem of problems.slice(0, MOST_PROBLEMS)) console.log(`  ${problem}`)
  console.log(problems.length === 0 ? `${fault.name}: all is well` : `${fault.name}: ${problems.length} problems`)
  return problems.length === 0
}

function toWhole(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (Number.isSafeInteger(value) && value > 0) return value
  console.error(USAGE)
  process.exit(64)
}
