/** The entry point: the only reader of the environment, the arguments and the signals. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { isatty } from 'node:tty'
import { promisify } from 'node:util'
import { unavailable } from './cli/exit.ts'
import { runCli, toReport } from './cli/run.ts'
import type { Output, World } from './cli/world.ts'
import { instant } from './lib/time.ts'

const INTERRUPTED = 130
/** Ctrl+C signals the whole process group, and npm and the launcher forward it: signals this close count as one. */
const SAME_SIGNAL_MS = 500
/** No program that a command executes works for long. */
const EXECUTE_WITHIN_MS = 10_000

function toOutput(stream: NodeJS.WriteStream): Output {
  // The reader has closed the pipe, as in `pombo tail | head`.
  stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  const isTerminal = stream.isTTY === true
  const hasColours = isTerminal && stream.hasColors(process.env)
  return { write: (text) => stream.write(text), isTerminal, hasColours }
}

/** The first signal starts a graceful shutdown; the second ends the process at once. */
function stopSignal(): AbortSignal {
  const controller = new AbortController()
  let firstAt: number | undefined
  const stop = (): void => {
    firstAt ??= performance.now()
    controller.abort()
    if (performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(INTERRUPTED)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  return controller.signal
}

async function runScript(path: string, args: readonly string[]): Promise<number> {
  const script = join(import.meta.dirname, '..', path)
  if (!existsSync(script)) throw unavailable(`${path} is not in the package; run it in a clone of the repository`)
  const child = spawn(process.execPath, [script, ...args], { stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  return typeof code === 'number' ? code : 1
}

const execute: World['execute'] = async (program, args, env) => {
  await promisify(execFile)(program, args, { env, timeout: EXECUTE_WITHIN_MS })
}

const hasTerminal = isatty(0) && isatty(1)
const ask: World['ask'] = async (...args) => (await import('./cli/terminal.ts')).ask(...args)

// Whatever the process creates is its owner's alone.
process.umask(0o077)

const world: World = {
  env: process.env,
  out: toOutput(process.stdout),
  err: toOutput(process.stderr),
  clock: () => instant(Date.now()),
  fetch: globalThis.fetch,
  readFile: (path) => readFileSync(path, 'utf8'),
  readInput: () => text(process.stdin),
  openStdio: () => ({ input: process.stdin, output: process.stdout }),
  pause: (millis, signal) => wait(millis, undefined, { signal }).catch(() => undefined),
  stopSignal,
  ask: hasTerminal ? ask : undefined,
  program: [process.execPath, ...process.execArgv, import.meta.filename],
  execute,
  runScript,
  openLogger: async (level) => (await import('./cli/logger.ts')).openLogger(level),
  openApp: async (...args) => (await import('./app.ts')).openApp(...args),
  rebuildIndex: async (...args) => (await import('./maintenance.ts')).rebuildIndex(...args),
  replayEvents: async (...args) => (await import('./maintenance.ts')).replayEvents(...args),
  migrateDatabase: async (...args) => (await import('./maintenance.ts')).migrateDatabase(...args),
  backupData: async (...args) => (await import('./maintenance.ts')).backupData(...args),
  restoreData: async (...args) => (await import('./maintenance.ts')).restoreData(...args),
  importFolder: async (...args) => (await import('./maintenance.ts')).importFolder(...args),
  createUser: async (...args) => (await import('./user-maintenance.ts')).createUserInStores(...args),
  inviteUser: async (...args) => (await import('./user-maintenance.ts')).inviteUserInStores(...args),
  checkCluster: async (...args) => (await import('./profiles/doctor-cluster.ts')).checkCluster(...args),
  checkCodes: async () => (await import('./profiles/doctor-codes.ts')).checkCodes(),
}

process.on('uncaughtException', (error) => {
  process.stderr.write(toReport(world, error))
  process.exit(1)
})

const code = await runCli(world, process.argv.slice(2))
// Where pipes are asynchronous, earlier writes may still be pending.
process.stdout.write('', () => process.exit(code))
