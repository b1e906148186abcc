/** What is done to the stores apart from running a gateway on them: for the commands of the same names. */
import type { Config } from './config/config.ts'
import { ConfigError } from './config/config.ts'
import { migrate } from './engines/postgres/migrate.ts'
import { type Imported, importLog } from './flows/admin/import.ts'
import { importChallenges } from './flows/admin/import-challenges.ts'
import { type ImportedSetup, importSetup } from './flows/admin/import-setup.ts'
import type { Moved } from './flows/admin/move.ts'
import { instant } from './lib/time.ts'
import { openClusterSetup, openClusterStores, rebuildCluster } from './profiles/cluster.ts'
import { openStoppedEmbedded, rebuildEmbedded } from './profiles/embedded.ts'
import { type BackedUp, type BackupOptions, backupEmbedded } from './profiles/embedded-backup.ts'
import { type Restored, type RestoreOptions, restoreEmbedded } from './profiles/embedded-restore.ts'
import type { OnProgress, Rebuilt } from './profiles/rebuild.ts'

export type Migrated = Awaited<ReturnType<typeof migrate>>

/** Makes the index again from the log. */
export const rebuildIndex = (config: Config, onProgress: OnProgress): Promise<Rebuilt> =>
  config.profile === 'cluster' ? rebuildCluster(config, onProgress) : rebuildEmbedded(config, onProgress)

/** Brings the tables of the cluster profile up to date, as their owner, and lets the app's own role in. */
export async function migrateDatabase(config: Config, onWait: (sentence: string) => void): Promise<Migrated> {
  const { postgresUrl, postgresOwnerUrl } = config
  if (postgresOwnerUrl === undefined || postgresUrl === undefined) {
    const missing = postgresUrl === undefined ? 'POMBO_POSTGRES_URL' : 'POMBO_POSTGRES_OWNER_URL'
    throw new ConfigError([`${missing} is not set, and migrating needs it; set it for this command`])
  }
  return await migrate(postgresOwnerUrl, { appRole: decodeURIComponent(new URL(postgresUrl).username), onWait })
}

/** Writes all that the embedded profile has stored into one file; the gateway may run meanwhile. */
export async function backupData(config: Config, file: string, options: BackupOptions): Promise<BackedUp> {
  assertEmbedded(config)
  return backupEmbedded(config, file, options)
}

/** Puts such a file into the data folder, while no gateway runs there. */
export async function restoreData(config: Config, file: string, options: RestoreOptions): Promise<Restored> {
  assertEmbedded(config)
  return restoreEmbedded(config, file, options)
}

function assertEmbedded({ profile }: Config): void {
  if (profile === 'embedded') return
  throw new ConfigError([
    'POMBO_PROFILE is cluster, and this command is for the embedded profile; docs/operations.md says how a cluster is backed up and restored',
  ])
}

export type ImportedFolder = Imported & ImportedSetup & Readonly<{ challenges: Moved }>

/**
 * Moves what a stopped embedded gateway has in its data folder into the cluster. The cluster may be at work: what
 * messages need to be sent comes before them, and what is done to them after.
 */
export async function importFolder(config: Config, folder: string, onProgress: OnProgress): Promise<ImportedFolder> {
  if (config.profile !== 'cluster') {
    throw new ConfigError(['POMBO_PROFILE is embedded, and a folder is moved into a cluster; set it to cluster'])
  }
  await using source = await openStoppedEmbedded(config, folder)
  await using cluster = await openClusterStores(config)
  await using target = await openClusterSetup(config)
  const isSameKey = source.mark === target.mark
  const clock = () => instant(Date.now())
  const setup = await importSetup({ source, target, isSameKey, clock })
  const log = await importLog({ source: source.log, target: cluster.log, queue: cluster.queue }, onProgress)
  const challenges = await importChallenges({ source, target, isSameKey, clock })
  return { ...log, ...setup, challenges }
}
