/** The keys beside a database: what a backup may take along, and whether a master key fits. */
import { join } from 'node:path'
import { readIfThere } from '../config/data-dir.ts'
import { JWT_SECRET_FILE, MASTER_KEY_FILE, SecretsError, toMasterKey } from '../config/secrets.ts'
import { openSealer } from '../engines/crypto/sealer.ts'
import type { BackupKeys } from '../engines/sqlite/backup.ts'

/** The key files of a data folder. What comes from the settings is kept by whoever keeps those. */
export function readKeyFiles(folder: string): BackupKeys {
  const found = [MASTER_KEY_FILE, JWT_SECRET_FILE].map((name) => [name, readIfThere(join(folder, name))] as const)
  return Object.fromEntries(found.filter((entry): entry is [string, string] => entry[1] !== undefined))
}

/** Throws where the written key is not the one that everything under `mark` is sealed with. */
export function assertFits(written: string, whose: string, mark: string | undefined): void {
  if (!fits(written, whose, mark)) {
    throw new SecretsError(
      `${whose} is not the key that the messages are sealed with; find the key that goes with them`,
    )
  }
}

export const fits = (written: string, whose: string, mark: string | undefined): boolean =>
  mark === undefined || openSealer(toMasterKey(written, whose)).mark === mark
