/** The commands that work on the stores directly: rebuild, migrate, backup, restore, import and events. */
import type { Config } from './config/config.ts'
import { ConfigError } from './config/config.ts'
import { type Migrated as MigratedPostgres, migrate } from './engines/postgres/migrate.ts'
import { type Imported, importLog } from './flows/admin/import.ts'
import { importApiKeys } from './flows/admin/import-api-keys.ts'
import { importAuditLog } from './flows/admin/import-audit-log.ts'
import { importChallenges } from './flows/admin/import-challenges.ts'
import { importDomains } from './flows/admin/import-domains.ts'
import type { ImportCounts } from './flows/admin/import-pages.ts'
import { type ImportedSetup, importSetup } from './flows/admin/import-setup.ts'
import { importTenants } from './flows/admin/import-tenants.ts'
import { importUsers } from './flows/admin/import-users.ts'
import { type Instant, instant } from './lib/time.ts'
import { openClusterSetup, openClusterStores, rebuildCluster, replayClusterEvents } from './profiles/cluster.ts'
import { type MigratedEmbedded, migrateEmbedded, openStoppedEmbedded, rebuildEmbedded } from './profiles/embedded.ts'
import { type BackedUp, type BackupOptions, backupEmbedded } from './profiles/embedded-backup.ts'
import { type Restored, type RestoreOptions, restoreEmbedded } from './profiles/embedded-restore.ts'
import type { OnProgress, Rebuilt } from './profiles/rebuild.ts'

export type Migrated = MigratedPostgres | MigratedEmbedded

/** Rebuilds the index from the log; before that, migrates a data folder of an earlier release. */
export const rebuildIndex = (config: Config, onProgress: OnProgress, onMigration: OnProgress): Promise<Rebuilt> =>
  config.profile === 'cluster' ? rebuildCluster(config, onProgress) : rebuildEmbedded(config, onProgress, onMigration)

/** Publishes the integration events of the past. Returns how many events of the log there were. */
export async function replayEvents(config: Config, since: Instant, onProgress: OnProgress): Promise<number> {
  if (config.profile === 'cluster') return replayClusterEvents(config, since, onProgress)
  throw new ConfigError([
    'integration events are published on NATS, in the cluster profile only: here follow GET /v1/events, or `pombo tail --since`',
  ])
}

/**
 * Migrates the tables of the cluster profile as their owner, and grants the app's role access; or the data folder of a
 * stopped embedded gateway.
 */
export async function migrateDatabase(
  config: Config,
  onWait: (message: string) => void,
  onProgress: OnProgress,
): Promise<Migrated> {
  const { profile, postgresUrl, postgresOwnerUrl } = config
  // Only this command uses the owner's URL, so where it is set there is a cluster to migrate.
  if (profile === 'embedded' && postgresOwnerUrl === undefined) return await migrateEmbedded(config, onProgress)
  if (postgresOwnerUrl === undefined || postgresUrl === undefined) {
    const missing = postgresUrl === undefined ? 'POMBO_POSTGRES_URL' : 'POMBO_POSTGRES_OWNER_URL'
    throw new ConfigError([`${missing} is not set; \`pombo migrate\` needs it`])
  }
  return await migrate(postgresOwnerUrl, { appRole: decodeURIComponent(new URL(postgresUrl).username), onWait })
}

/** Writes everything the embedded profile has stored into one file; the gateway may keep running. */
export async function backupData(config: Config, file: string, options: BackupOptions): Promise<BackedUp> {
  assertEmbedded(config)
  return backupEmbedded(config, file, options)
}

/** Restores a backup into the data folder, while no gateway runs on it. */
export async function restoreData(config: Config, file: string, options: RestoreOptions): Promise<Restored> {
  assertEmbedded(config)
  return restoreEmbedded(config, file, options)
}

function assertEmbedded({ profile }: Config): void {
  if (profile === 'embedded') return
  throw new ConfigError([
    'this command is for the embedded profile, and POMBO_PROFILE is cluster; docs/operations.md explains how to back up and restore a cluster',
  ])
}

export type ImportedFolder = Imported &
  ImportedSetup &
  Readonly<{
    tenants: ImportCounts
    keys: ImportCounts
    users: ImportCounts
    domains: ImportCounts
    challenges: ImportCounts
    auditEntries: ImportCounts
  }>

/**
 * Imports the data folder of a stopped embedded gateway into the cluster, which may be running: configuration first,
 * because messages need it to be sent, then the messages, then the challenges that refer to them. Before that, migrates
 * a folder of an earlier release.
 */
export async function importFolder(
  config: Config,
  folder: string,
  onProgress: OnProgress,
  onMigration: OnProgress,
): Promise<ImportedFolder> {
  if (config.profile !== 'cluster') {
    throw new ConfigError(['the import goes into a cluster, and POMBO_PROFILE is embedded; set it to cluster'])
  }
  await using source = await openStoppedEmbedded(config, folder, onMigration)
  await using cluster = await openClusterStores(config)
  await using target = await openClusterSetup(config)
  const isSameKey = source.mark === target.mark
  const clock = () => instant(Date.now())
  const auditEntries = await importAuditLog({ source, target })
  const tenants = await importTenants({ source, target })
  const setup = await importSetup({ source, target, isSameKey, clock })
  const keys = await importApiKeys({ source, target, isSameKey })
  const users = await importUsers({ source, target })
  const domains = await importDomains({ source, target, isSameKey })
  const log = await importLog({ source: source.log, target: cluster.log, queue: cluster.queue }, onProgress)
  const challenges = await importChallenges({ source, target, isSameKey, clock })
  return { ...log, ...setup, tenants, keys, users, domains, challenges, auditEntries }
}
