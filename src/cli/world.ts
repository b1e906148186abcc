/** Everything a command uses from outside. Only main.ts fills it from the process; tests pass fakes. */
import type { Readable, Writable } from 'node:stream'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Role } from '../domain/access/user.ts'
import type { Check } from '../lib/check.ts'
import type { Clock } from '../lib/clock.ts'
import type { Instant, Millis } from '../lib/time.ts'

/** A running gateway. `token` is set when Pombo generated the secret itself. */
export type App = Readonly<{ url: string; token: string | undefined; close(): Promise<void> }>

export type OpenApp = (config: Config, options: Readonly<{ logger: Logger }>) => Promise<App>
type OnProgress = (done: number, total: number) => void
/** `onMigration` is called first if an earlier release wrote the data folder. */
export type RebuildIndex = (
  config: Config,
  onProgress: OnProgress,
  onMigration: OnProgress,
) => Promise<Readonly<{ events: number }>>
/** Returns how many events of the log there were. */
export type ReplayEvents = (config: Config, since: Instant, onProgress: OnProgress) => Promise<number>
/**
 * The schema version before and after, and the one this release expects. `events` are those of an earlier release that
 * were moved, in the embedded profile.
 */
export type Migrated = Readonly<{ from: number; to: number; known: number; events?: number }>
export type MigrateDatabase = (
  config: Config,
  onWait: (message: string) => void,
  onProgress: OnProgress,
) => Promise<Migrated>
/** How many there are of a kind, how many were new to the cluster, and how many could not be imported. */
export type Moved = Readonly<{ all: number; added: number; left: number }>
export type ImportedFolder = Readonly<{
  messages: number
  events: number
  added: number
  tenants: Moved
  limits: Moved
  recipients: Moved
  templates: Moved
  routes: Moved
  endpoints: Moved
  keys: Moved
  users: Moved
  domains: Moved
  challenges: Moved
  auditEntries: Moved
}>
export type ImportFolder = (
  config: Config,
  folder: string,
  onProgress: OnProgress,
  onMigration: OnProgress,
) => Promise<ImportedFolder>
export type WantedUser = Readonly<{ email: string; role: Role; name?: string; tenantId: string }>
/** As the API answers it. */
export type InvitedUser = Readonly<{
  user: Readonly<{ email: string; role: Role; tenant_id: string }>
  invitation: Readonly<{ url: string; expires_at: string }>
}>
/** Both work on the stores of a gateway that is stopped, or on those of a cluster. */
export type CreateUser = (config: Config, wanted: WantedUser) => Promise<InvitedUser>
export type InviteUser = (config: Config, email: string) => Promise<InvitedUser>

export type CheckCluster = (config: Config) => Promise<readonly Check[]>

/** `included` are the key files in the backup, `apart` those that a restore needs besides it. */
export type BackedUp = Readonly<{
  file: string
  schema: number
  messages: number
  events: number
  bytes: number
  included: readonly string[]
  apart: readonly string[]
}>
export type BackupData = (
  config: Config,
  file: string,
  options: Readonly<{ force: boolean; withKeys: boolean }>,
) => Promise<BackedUp>
/** `waiting` counts messages still to be sent, `keys` are the restored key files, `skipped` those that were not. */
export type Restored = Readonly<{
  folder: string
  schema: number
  messages: number
  events: number
  waiting: number
  madeAt: Instant | undefined
  keys: readonly string[]
  skipped: readonly string[]
  aside: string | undefined
}>
export type RestoreData = (config: Config, file: string, options: Readonly<{ force: boolean }>) => Promise<Restored>

export type Output = Readonly<{
  write: (text: string) => void
  /** Whether lines may be redrawn. */
  isTerminal: boolean
  hasColours: boolean
}>

export type World = Readonly<{
  env: Readonly<Record<string, string | undefined>>
  out: Output
  err: Output
  clock: Clock
  fetch: typeof fetch
  readFile: (path: string) => string
  /** All of standard input. */
  readInput: () => Promise<string>
  /** Standard input and output as streams, for a protocol that needs both. */
  openStdio: () => Readonly<{ input: Readable; output: Writable }>
  /** Resolves early when the signal aborts. */
  pause: (wait: Millis, signal?: AbortSignal) => Promise<void>
  /** Takes over SIGINT and SIGTERM: they abort this signal instead of ending the process. */
  stopSignal: () => AbortSignal
  /** Asks whoever sits at the terminal; undefined where nobody does. A secret is not shown while it is typed. */
  ask: ((question: string, options: Readonly<{ isSecret: boolean }>) => Promise<string>) | undefined
  /** How this process was started: Node, its options, and the main file. */
  program: readonly string[]
  /** Runs another program with nothing but this environment. Rejects if it fails or takes too long. */
  execute: (
    program: string,
    args: readonly string[],
    env: Readonly<Record<string, string | undefined>>,
  ) => Promise<void>
  /** Runs a script of this project with the same Node; returns its exit code. */
  runScript: (path: string, args: readonly string[]) => Promise<number>
  openLogger: (level: Config['logLevel']) => Promise<Logger>
  openApp: OpenApp
  rebuildIndex: RebuildIndex
  replayEvents: ReplayEvents
  migrateDatabase: MigrateDatabase
  backupData: BackupData
  restoreData: RestoreData
  importFolder: ImportFolder
  createUser: CreateUser
  inviteUser: InviteUser
  checkCluster: CheckCluster
  checkCodes: () => Promise<Check>
}>
