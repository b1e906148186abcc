/** What a command may use of the outside world. main.ts is the only place that fills it from the process. */
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Check } from '../lib/check.ts'
import type { Clock } from '../lib/clock.ts'
import type { Instant, Millis } from '../lib/time.ts'

/** A running gateway. `token` is there when Pombo made the secret itself. */
export type App = Readonly<{ url: string; token: string | undefined; close(): Promise<void> }>

export type OpenApp = (config: Config, options: Readonly<{ logger: Logger }>) => Promise<App>
type OnProgress = (done: number, total: number) => void
export type RebuildIndex = (config: Config, onProgress: OnProgress) => Promise<Readonly<{ events: number }>>
/** The version of the tables before and after, and the one this release knows. */
export type Migrated = Readonly<{ from: number; to: number; known: number }>
export type MigrateDatabase = (config: Config, onWait: (sentence: string) => void) => Promise<Migrated>
/** How many there are of a kind, how many of them were not in the cluster yet, and how many could not be moved. */
export type Moved = Readonly<{ all: number; added: number; left: number }>
export type ImportedFolder = Readonly<{
  messages: number
  events: number
  added: number
  limits: Moved
  recipients: Moved
  templates: Moved
  routes: Moved
  endpoints: Moved
  challenges: Moved
}>
export type ImportFolder = (config: Config, folder: string, onProgress: OnProgress) => Promise<ImportedFolder>
export type CheckCluster = (config: Config) => Promise<readonly Check[]>

/** `included` are the key files in the backup, `apart` those that are not in it and that it is of no use without. */
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
/** `waiting` is how many messages workers will take up, `keys` the key files restored, `skipped` those that were not. */
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
  /** A person is looking: lines may be redrawn. */
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
  /** Ends early, without an error, when the signal does. */
  pause: (wait: Millis, signal?: AbortSignal) => Promise<void>
  /** From now on the wish to stop is ours to fulfil: the signal tells of it. */
  stopSignal: () => AbortSignal
  /** Runs a script of this project with our own Node; answers its exit code. */
  runScript: (path: string, args: readonly string[]) => Promise<number>
  openLogger: (level: Config['logLevel']) => Promise<Logger>
  openApp: OpenApp
  rebuildIndex: RebuildIndex
  migrateDatabase: MigrateDatabase
  backupData: BackupData
  restoreData: RestoreData
  importFolder: ImportFolder
  examineCluster: CheckCluster
  /** Whether one-time codes can be hashed on this machine. */
  examineCodes: () => Promise<Check>
}>
