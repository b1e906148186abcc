/** Writes the files of `pombo init`, and looks at what is already there. */
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { codeOf } from '../config/data-dir.ts'
import { JWT_SECRET_FILE, MASTER_KEY_FILE } from '../config/secrets.ts'
import { type Instant, toIso } from '../lib/time.ts'
import { CommandError, EXIT } from './exit.ts'
import type { Answers } from './init-answers.ts'
import { ENV_FILE, type Kept, type NewFile, parseEnvText } from './init-files.ts'

/** All that it ever writes, whatever the answers. */
const NAMES = [
  'config.json',
  ENV_FILE,
  'pombo',
  'pombo.service',
  'pombo-backup.service',
  'pombo-backup.timer',
  'Caddyfile',
  'nginx.conf',
]

const existingIn = (dir: string): readonly string[] => NAMES.filter((name) => existsSync(join(dir, name)))

const cannotCreate = (message: string, cause?: unknown): CommandError =>
  new CommandError(EXIT.cannotCreate, message, cause)

export function refuseToReplace(dir = '/etc/pombo'): void {
  const existing = existingIn(dir)
  if (existing.length > 0)
    throw cannotCreate(
      `${resolve(dir)} already has ${existing.join(', ')}; replace them with --force, or pass another --dir`,
    )
}

/** Another master key could not read the messages that are already stored. */
export function findKept({ dir, dataDir }: Pick<Answers, 'dir' | 'dataDir'>): Kept {
  const path = join(dir, ENV_FILE)
  const { POMBO_MASTER_KEY: masterKey, POMBO_JWT_SECRET: jwtSecret } = parseEnvText(existsSync(path) ? read(path) : '')
  const areInDataDir = [MASTER_KEY_FILE, JWT_SECRET_FILE].some((name) => existsSync(join(dataDir, name)))
  return { masterKey, jwtSecret, areInDataDir: masterKey === undefined && areInDataDir }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw cannotCreate(`cannot read ${path} (${codeOf(error)}), which has the master key; run this as root`, error)
  }
}

/** Moves existing files to a new folder, and returns it; undefined if there are none. */
export function setAside(dir: string, now: Instant): string | undefined {
  const existing = existingIn(dir)
  if (existing.length === 0) return undefined
  const aside = join(dir, `replaced-${toIso(now).replaceAll(':', '')}`)
  mkdirSync(aside, { mode: 0o700 })
  for (const name of existing) renameSync(join(dir, name), join(aside, name))
  return aside
}

/** The folder may be new; its parent must exist. */
export function writeFiles(dir: string, files: readonly NewFile[]): void {
  try {
    openFolder(dir)
    for (const { name, mode, text } of files) {
      writeFileSync(join(dir, name), text, { flag: 'wx', mode, flush: true })
      // The process creates files for its user alone, and the service has another one.
      chmodSync(join(dir, name), mode)
    }
  } catch (error) {
    throw cannotCreate(`cannot write to ${dir} (${codeOf(error)}); create the folder, or run this as root`, error)
  }
}

function openFolder(dir: string): void {
  if (existsSync(dir)) return
  mkdirSync(dir)
  chmodSync(dir, 0o755)
}

/**
 * How the units start this program. If a symbolic link `current` beside a folder on the path points to that folder, as
 * in /opt/pombo, the units name the link, so that another release can take the place of this one.
 */
export const stableProgram = (program: readonly string[]): readonly string[] => {
  const odd = program.find((part) => !/^[\w./@+=,:-]+$/.test(part))
  if (odd !== undefined) throw cannotCreate(`units cannot start ${JSON.stringify(odd)}; install Pombo in /opt/pombo`)
  return program.map((part) => (part.startsWith('/') ? toStable(part) : part))
}

function toStable(path: string): string {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const link = join(dirname(folder), 'current')
    if (link !== folder && existsSync(link) && realpathSync(link) === folder) return link + path.slice(folder.length)
  }
  return path
}
