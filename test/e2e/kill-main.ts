/** The long kill test: `node bin/node24.cjs test/e2e/kill-main.ts --kills 200 --seed 7 --callers 32`. */
import { parseArgs } from 'node:util'
import { runKills } from './kill-run.ts'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    callers: { type: 'string', default: '32' },
  },
})
const plan = { kills: Number(values.kills), seed: Number(values.seed), callers: Number(values.callers) }

console.log(`seed ${plan.seed}`)
const { problems, figures } = await runKills({
  ...plan,
  onProgress: (text) => process.stdout.write(process.stdout.isTTY ? `\r${text}` : ''),
})
console.log('')
console.table(figures)
for (const problem of problems) console.error(problem)
console.log(problems.length === 0 ? 'passed' : `${problems.length} problems`)
process.exitCode = problems.length === 0 ? 0 : 1
