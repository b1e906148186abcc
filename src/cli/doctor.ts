/** `pombo doctor`: checks the machine, the settings and the stores, and says how to fix what is wrong. */
import { type Config, ConfigError, loadConfig } from '../config/config.ts'
import { KEPT_APART, retentionInWords } from '../config/retention-words.ts'
import { type Check, failed, passed, warned } from '../lib/check.ts'
import { defineCommand } from './command.ts'
import { checkDatabase, checkFolder, checkSecrets, checkSenders, checkSpace, checkStored } from './doctor-data.ts'
import { checkClock, checkNode, checkPort } from './doctor-machine.ts'
import { EXIT } from './exit.ts'
import { paint } from './render.ts'
import type { Output, World } from './world.ts'

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'Check this machine, the settings and the stores.',
  options: { json: { about: 'print the result as JSON' } },
  async run(world, values) {
    const checks = await runChecks(world)
    const ok = checks.every(({ kind }) => kind !== 'failed')
    world.out.write(values.json === true ? `${JSON.stringify({ ok, checks })}\n` : draw(world.out, checks))
    return ok ? EXIT.ok : EXIT.failure
  },
})

async function runChecks(world: World): Promise<readonly Check[]> {
  const first = [checkNode(process.versions.node)]
  try {
    const config = loadConfig(world.env, world.readFile)
    return [
      ...first,
      passed('settings', `profile ${config.profile}`),
      ...config.warnings.map((warning) => warned('settings', warning)),
      ...checkReservations(config),
      ...(config.profile === 'cluster' ? await world.checkCluster(config) : checkDataFolder(config)),
      passed('retention', retentionInWords(config)),
      passed('kept apart from messages', KEPT_APART),
      await world.checkCodes(),
      await checkPort(world, config),
      checkClock(world.clock(), config),
    ]
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [...first, ...error.problems.map((problem) => failed('settings', problem))]
  }
}

const checkReservations = ({ providers }: Config): readonly Check[] =>
  providers.flatMap(({ name, tenants }) =>
    tenants === undefined ? [] : [passed(`provider ${name}`, `reserved for ${tenants.join(', ')}`)],
  )

function checkDataFolder(config: Config): readonly Check[] {
  const database = checkDatabase(config)
  return [
    checkFolder(config),
    checkSpace(config),
    database,
    ...(database.kind === 'passed' ? checkStored(config) : []),
    checkSenders(config, database.kind === 'passed'),
    ...checkSecrets(config),
  ]
}

const MARKS = { passed: ['✓', 'green'], warned: ['!', 'yellow'], failed: ['✗', 'red'] } as const

const draw = (out: Output, checks: readonly Check[]): string =>
  checks
    .map(({ kind, name, detail }) => {
      const [mark, colour] = MARKS[kind]
      return `${paint(out, colour, mark)} ${name}: ${detail}\n`
    })
    .join('')
