/** The key files of a data folder, and whether a master key matches a database. */
import { join } from 'node:path'
import { readIfThere } from '../config/data-dir.ts'
import { JWT_SECRET_FILE, MASTER_KEY_FILE, SecretsError, toMasterKey } from '../config/secrets.ts'
import { openSealer } from '../engines/crypto/sealer.ts'
import type { BackupKeys } from '../engines/sqlite/backup.ts'

/** Keys that are set in the environment are not part of it. */
export function readKeyFiles(folder: string): BackupKeys {
  const found = [MASTER_KEY_FILE, JWT_SECRET_FILE].map((name) => [name, readIfThere(join(folder, name))] as const)
  return Object.fromEntries(found.filter((entry): entry is [string, string] => entry[1] !== undefined))
}

/** Throws if the key is not the one that `mark` identifies. */
export function assertMatches(key: string, source: string, mark: string | undefined): void {
  if (!matches(key, source, mark)) {
    throw new SecretsError(
      `${source} is not the key that the messages are sealed with; provide the key of this database`,
    )
  }
}

export const matches = (key: string, source: string, mark: string | undefined): boolean =>
  mark === undefined || openSealer(toMasterKey(key, source)).mark === mark
