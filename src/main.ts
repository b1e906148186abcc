/** The command line: the only reader of environment, arguments and signals. Everything else gets them from here. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { runCli, toReport } from './cli/run.ts'
import type { Output, World } from './cli/world.ts'
import { instant } from './lib/time.ts'

const INTERRUPTED = 130
/** A terminal signals the whole group and npm and the launcher pass it on: within this time it is one wish. */
const ONE_WISH_MS = 500

function toOutput(stream: NodeJS.WriteStream): Output {
  // Whoever read us has seen enough, as in `pombo tail | head`.
  stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  const isTerminal = stream.isTTY === true
  const hasColours = isTerminal && stream.hasColors(process.env)
  return { write: (text) => stream.write(text), isTerminal, hasColours }
}

/** The first wish to stop is passed on; the second ends the process at once. */
function stopSignal(): AbortSignal {
  const controller = new AbortController()
  let wishedAt: number | undefined
  const wish = (): void => {
    wishedAt ??= performance.now()
    controller.abort()
    if (performance.now() - wishedAt > ONE_WISH_MS) process.exit(INTERRUPTED)
  }
  process.on('SIGINT', wish)
  process.on('SIGTERM', wish)
  return controller.signal
}

async function runScript(path: string, args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '..', path), ...args], { stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  return typeof code === 'number' ? code : 1
}

const world: World = {
  env: process.env,
  out: toOutput(process.stdout),
  err: toOutput(process.stderr),
  clock: () => instant(Date.now()),
  fetch: globalThis.fetch,
  readFile: (path) => readFileSync(path, 'utf8'),
  readInput: () => text(process.stdin),
  pause: (millis, signal) => wait(millis, undefined, { signal }).catch(() => undefined),
  stopSignal,
  runScript,
  openLogger: async (level) => (await import('./cli/logger.ts')).openLogger(level),
  openApp: async (...args) => (await import('./app.ts')).openApp(...args),
  rebuildIndex: async (...args) => (await import('./maintenance.ts')).rebuildIndex(...args),
  migrateDatabase: async (...args) => (await import('./maintenance.ts')).migrateDatabase(...args),
  backupData: async (...args) => (await import('./maintenance.ts')).backupData(...args),
  restoreData: async (...args) => (await import('./maintenance.ts')).restoreData(...args),
  importFolder: async (...args) => (await import('./maintenance.ts')).importFolder(...args),
  examineCluster: async (...args) => (await import('./profiles/doctor-cluster.ts')).checkCluster(...args),
  examineCodes: async () => (await import('./profiles/doctor-codes.ts')).checkCodes(),
}

process.on('uncaughtException', (error) => {
  process.stderr.write(toReport(world, error))
  process.exit(1)
})

const code = await runCli(world, process.argv.slice(2))
// Not at once: where pipes are asynchronous, what was written may not have left yet.
process.stdout.write('', () => process.exit(code))
