/** The checks of the data folder. They change nothing in it. */
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { codeOf } from '../config/data-dir.ts'
import { storedInWords } from '../config/retention-words.ts'
import { DATABASE_FILE, JWT_SECRET_FILE, MASTER_KEY_FILE } from '../config/secrets.ts'
import { NO_STORED_SENDERS, type StoredSenders, sendersInWords } from '../config/sender-words.ts'
import { DatabaseDamaged } from '../engines/sqlite/damage.ts'
import { checkFile, openUnchanged } from '../engines/sqlite/file-check.ts'
import { type Check, failed, passed, warned } from '../lib/check.ts'
import { instant } from '../lib/time.ts'
import { toSize } from './render.ts'

type Where = Pick<Config, 'dataDir'>

export function checkFolder({ dataDir }: Where): Check {
  const folder = existing(resolve(dataDir))
  if (!statSync(folder).isDirectory()) return failed('data folder', `${folder} is not a folder; correct POMBO_DATA_DIR`)
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    return failed('data folder', `${folder} is not writable (${codeOf(error)}); give this user write access`)
  }
  return passed(
    'data folder',
    folder === resolve(dataDir) ? folder : `${dataDir} does not exist yet; the first start creates it`,
  )
}

/** The path itself, or its nearest parent that exists. */
const existing = (path: string): string => (existsSync(path) || dirname(path) === path ? path : existing(dirname(path)))

const MIB = 1024 * 1024
const MIN_BYTES = 64 * MIB
const LOW_BYTES = 1024 * MIB

export function checkSpace({ dataDir }: Where): Check {
  const { bavail, bsize } = statfsSync(existing(resolve(dataDir)))
  const free = bavail * bsize
  const amount = `${Math.floor(free / MIB)} MiB free`
  if (free < MIN_BYTES) return failed('disk', `${amount}; free some space, or messages will be refused`)
  return free < LOW_BYTES ? warned('disk', `${amount}, which is low`) : passed('disk', amount)
}

/** Reads the whole file. A gateway may be running on it. */
export function checkDatabase({ dataDir }: Where): Check {
  const path = join(dataDir, DATABASE_FILE)
  try {
    if (checkFile(path, Number.POSITIVE_INFINITY) === 'missing')
      return passed('database', 'does not exist yet; the first start creates it')
    using db = openUnchanged(path)
    const schema = db.prepare('pragma user_version').get()?.['user_version']
    return passed('database', `${path}, ${toSize(statSync(path).size)}, schema ${schema}, quick_check ok`)
  } catch (error) {
    if (error instanceof DatabaseDamaged) return failed('database', error.message)
    return failed('database', `${path} cannot be opened (${error instanceof Error ? error.message : codeOf(error)})`)
  }
}

/** The messages in a sound file; nothing if it is missing, or of an earlier release with other tables. */
export function checkStored({ dataDir }: Where): readonly Check[] {
  const path = join(dataDir, DATABASE_FILE)
  if (!existsSync(path)) return []
  using db = openUnchanged(path)
  if (db.prepare(`select 1 from pragma_table_info('messages') where name = 'created_at'`).get() === undefined) return []
  const row = db.prepare('select count(*) as messages, min(created_at) as oldest from messages').get()
  const messages = Number(row?.['messages'])
  const stored = messages === 0 ? { messages } : { messages, oldest: instant(Number(row?.['oldest'])) }
  return [passed('stored messages', storedInWords(stored))]
}

const LISTS = `select tenant from tenants where json_extract(description, '$.senders') is not null`
const VERIFIED = 'select count(*) as verified from domains where verified_at is not null'

/** `isSound`: the file can be read. */
export const checkSenders = (config: Where & Pick<Config, 'tenants'>, isSound: boolean): Check =>
  passed('senders', sendersInWords(config.tenants, isSound ? storedSenders(config) : NO_STORED_SENDERS))

/** None if the file is missing, or of an earlier release. */
function storedSenders({ dataDir }: Where): StoredSenders {
  const path = join(dataDir, DATABASE_FILE)
  if (!existsSync(path)) return NO_STORED_SENDERS
  using db = openUnchanged(path)
  const tables = db.prepare(`select 1 from sqlite_schema where type = 'table' and name in ('tenants', 'domains')`).all()
  if (tables.length < 2) return NO_STORED_SENDERS
  const lists = db.prepare(LISTS).all()
  return {
    lists: lists.map(({ tenant }) => String(tenant)),
    verified: Number(db.prepare(VERIFIED).get()?.['verified']),
  }
}

export const checkSecrets = ({ dataDir }: Where): readonly Check[] =>
  [JWT_SECRET_FILE, MASTER_KEY_FILE].flatMap((name) => {
    const path = join(dataDir, name)
    const mode = statSync(path, { throwIfNoEntry: false })?.mode
    if (mode === undefined) return []
    return mode & 0o077
      ? failed(name, `other users can read it; run \`chmod 600 ${path}\``)
      : passed(name, 'only its owner can read it')
  })
