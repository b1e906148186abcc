/** Long runs of the faults, each on its own cluster: `npm run faults -- [name …] [--kills N] [--seconds N] [--rate N]`. */
import { parseArgs } from 'node:util'
import { FAULTS } from './all.ts'
import { type Fault, type Plan, runFault } from './fault.ts'
import { openSite } from './site.ts'

const MAX_PROBLEMS = 20
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

const chosen = FAULTS.filter(
  ({ name }) => positionals.length === 0 || positionals.some((given) => matches(given, name)),
)
if (positionals.some((given) => !FAULTS.some(({ name }) => matches(given, name)))) {
  console.error(USAGE)
  process.exit(64)
}
const results: boolean[] = []
for (const fault of chosen) results.push(await run(fault))
process.exitCode = results.every(Boolean) ? 0 : 1

/** `slow` selects every fault whose name starts with `slow-`. */
function matches(given: string, name: string): boolean {
  return given === name || name.startsWith(`${given}-`)
}

async function run(fault: Fault): Promise<boolean> {
  const plan: Plan = {
    kills: toPositiveInteger(values.kills) ?? fault.usual.kills,
    seconds: toPositiveInteger(values.seconds) ?? fault.usual.seconds,
    rate: toPositiveInteger(values.rate) ?? 0,
    seed: toPositiveInteger(values.seed) ?? 0,
    onProgress: (text) => process.stderr.write(`  ${text}\n`),
  }
  console.log(`${fault.name}: ${fault.promise} (${plan.rate}/s, seed ${plan.seed})`)
  await using site = await openSite(fault.name.startsWith('slow'))
  const lack = fault.lacks?.(site)
  if (lack !== undefined) {
    console.log(`${fault.name}: skipped, ${lack}`)
    return false
  }
  const { problems, figures, slowest } = await runFault(site, fault, plan)
  for (const [name, figure] of Object.entries(figures)) console.log(`${String(figure).padStart(10)}  ${name}`)
  console.log(`  slowest message: ${slowest}`)
  for (const problem of problems.slice(0, MAX_PROBLEMS)) console.log(`  ${problem}`)
  console.log(problems.length === 0 ? `${fault.name}: passed` : `${fault.name}: ${problems.length} problems`)
  return problems.length === 0
}

function toPositiveInteger(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (Number.isSafeInteger(value) && value > 0) return value
  console.error(USAGE)
  process.exit(64)
}
