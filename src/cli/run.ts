/** Finds and runs the command, and turns errors into a message and an exit code. */
import { nearest } from '../config/nearest.ts'
import type { Command } from './command.ts'
import { EXIT, toExitCode, usageError } from './exit.ts'
import { toPlain } from './render.ts'
import type { World } from './world.ts'

/** Loaded on demand, so that small commands start fast. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serve,
  init: async () => (await import('./init.ts')).init,
  send: async () => (await import('./send.ts')).send,
  preflight: async () => (await import('./preflight.ts')).preflight,
  otp: async () => (await import('./otp.ts')).otp,
  tail: async () => (await import('./tail.ts')).tail,
  search: async () => (await import('./search.ts')).search,
  show: async () => (await import('./show.ts')).show,
  explain: async () => (await import('./explain.ts')).explain,
  resend: async () => (await import('./resend.ts')).resend,
  resolve: async () => (await import('./resolve.ts')).resolve,
  erase: async () => (await import('./erase.ts')).erase,
  erasures: async () => (await import('./erasures.ts')).erasures,
  dlq: async () => (await import('./dlq.ts')).dlq,
  usage: async () => (await import('./usage.ts')).usage,
  export: async () => (await import('./export.ts')).exportMessages,
  audit: async () => (await import('./audit.ts')).audit,
  events: async () => (await import('./events.ts')).events,
  token: async () => (await import('./token.ts')).token,
  users: async () => (await import('./users.ts')).users,
  tenants: async () => (await import('./tenants.ts')).tenants,
  keys: async () => (await import('./keys.ts')).keys,
  domains: async () => (await import('./domains.ts')).domains,
  'verify-domain': async () => (await import('./domains.ts')).verifyDomain,
  backup: async () => (await import('./backup.ts')).backup,
  restore: async () => (await import('./restore.ts')).restore,
  rebuild: async () => (await import('./rebuild.ts')).rebuild,
  migrate: async () => (await import('./migrate.ts')).migrate,
  import: async () => (await import('./import.ts')).importData,
  doctor: async () => (await import('./doctor.ts')).doctor,
  simulator: async () => (await import('./simulator.ts')).simulator,
  bench: async () => (await import('./bench.ts')).bench,
  mcp: async () => (await import('./mcp.ts')).mcp,
  version: async () => (await import('./version.ts')).version,
}

/** Returns the exit code. */
export async function runCli(world: World, argv: readonly string[]): Promise<number> {
  const [name = '', ...rest] = argv
  try {
    return await run(world, ALIASES.get(name) ?? name, rest)
  } catch (error) {
    const code = toExitCode(error)
    world.err.write(toReport(world, error))
    if (code === EXIT.usage)
      world.err.write(`Try \`pombo ${Object.hasOwn(COMMANDS, name) ? `${name} --` : ''}help\`.\n`)
    return code
  }
}

const ALIASES = new Map([
  ['--help', 'help'],
  ['-h', 'help'],
  ['--version', 'version'],
])

async function run(world: World, name: string, argv: readonly string[]): Promise<number> {
  const [topic] = argv
  if (name === 'help' && topic !== undefined && Object.hasOwn(COMMANDS, topic)) return run(world, topic, ['--help'])
  if (name === 'help' || name === '') {
    const overview = toOverview(await Promise.all(Object.values(COMMANDS).map((load) => load())))
    const [output, code] = name === 'help' ? [world.out, EXIT.ok] : [world.err, EXIT.usage]
    output.write(overview)
    return code
  }
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (load === undefined) throw usageError(toUnknown(name))
  const command = await load()
  return command.run(world, argv)
}

function toUnknown(name: string): string {
  const meant = nearest(name, [...Object.keys(COMMANDS), 'help'])
  return `unknown command: ${toPlain(name)}${meant === undefined ? '' : `; did you mean ${meant}?`}`
}

/** The message of the error; with POMBO_LOG_LEVEL=debug also its stack. */
export function toReport({ env }: Pick<World, 'env'>, error: unknown): string {
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  const showStack = ['debug', 'trace'].includes(env['POMBO_LOG_LEVEL'] ?? '')
  return `pombo: ${message}\n${showStack ? `${stack}\n` : ''}`
}

function toOverview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`)
  return `Pombo, the self-hosted gateway for SMS, email and one-time codes.

pombo COMMAND [options]

${lines.join('\n')}

\`pombo COMMAND --help\` shows the options of a command. docs/configuration.md lists the settings.
`
}
