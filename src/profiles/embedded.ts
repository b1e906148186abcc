/** The embedded profile: one process, one SQLite file that is read and written in its own threads, a simulator in process. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { DataDirError, prepareFolder } from '../config/data-dir.ts'
import { isSimulator } from '../config/file.ts'
import { DATABASE_FILE, loadSecrets, MASTER_KEY_FILE } from '../config/secrets.ts'
import type { ProviderName } from '../domain/ids.ts'
import { frameSealing } from '../engines/crypto/frame-sealer.ts'
import { openSealer } from '../engines/crypto/sealer.ts'
import { inProcessRoundLock } from '../engines/shared/in-process-round-lock.ts'
import { openApiKeys } from '../engines/sqlite/access/api-keys.ts'
import { openDomains } from '../engines/sqlite/access/domains.ts'
import { openTenants } from '../engines/sqlite/access/tenants.ts'
import { openBreakers } from '../engines/sqlite/breakers.ts'
import { lockDataFolder } from '../engines/sqlite/database.ts'
import { remote } from '../engines/sqlite/driver.ts'
import { openUnchanged } from '../engines/sqlite/file-check.ts'
import type { Journal } from '../engines/sqlite/journal/journal.ts'
import { JournalProgress } from '../engines/sqlite/journal/progress.ts'
import { openLimitRules } from '../engines/sqlite/limit-rules.ts'
import { openLimiter } from '../engines/sqlite/limiter.ts'
import type { OnTakeOver } from '../engines/sqlite/messages/take-over.ts'
import { TakeOverProgress } from '../engines/sqlite/messages/take-over-progress.ts'
import { openReaderThreads, type ReaderThreads } from '../engines/sqlite/reader-threads.ts'
import { openRoutes } from '../engines/sqlite/routes.ts'
import { SCHEMA_VERSION } from '../engines/sqlite/schema.ts'
import { openSetupListing } from '../engines/sqlite/setup-listing.ts'
import { openEngine, openSqlite, type SqliteEngine } from '../engines/sqlite/sqlite.ts'
import type { StoreMethods } from '../engines/sqlite/store.ts'
import { openThread, type ThreadDriver } from '../engines/sqlite/thread-driver.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { instant } from '../lib/time.ts'
import type { ApiKeys } from '../ports/api-keys.ts'
import type { Engines } from '../ports/engines.ts'
import type { LimitRules } from '../ports/limit-rules.ts'
import type { RouteBook } from '../ports/routes.ts'
import type { Sealer } from '../ports/sealer.ts'
import type { SendingDomains } from '../ports/sending-domains.ts'
import type { SetupListing } from '../ports/setup-listing.ts'
import type { Tenants } from '../ports/tenants.ts'
import { joinInboxes } from '../providers/simulator/inboxes.ts'
import { openSimulator, type Simulator } from '../providers/simulator/simulator.ts'
import { dkimSigningOf } from './dkim-signing.ts'
import { checkWritable } from './health.ts'
import { protectFiles } from './private-files.ts'
import { breakerPolicyOf, type Opening, type Profile, type Providers, type Report } from './profile.ts'
import { joinProviders } from './providers.ts'
import type { OnProgress, Rebuilt } from './rebuild.ts'
import { rebuildTables } from './rebuild-tables.ts'
import { diskOf, folderStorage } from './storage.ts'
import type { StoreThreadData } from './store-thread.ts'

export async function openEmbedded(opening: Opening): Promise<Profile> {
  const { config, secrets, opened } = opening
  prepareFolder(config.dataDir)
  protectFiles(config.dataDir, opening.logLine)
  opened.use(lockDataFolder(config.dataDir))
  const progress = new JournalProgress()
  const threads = await openThreads(opening, progress)
  const { journal, ...engines } = await openEngines(opening, threads, progress)
  const { carrierReferences, domains } = engines
  const dkimSigningFor = dkimSigningOf(domains, secrets.masterKey)
  return {
    engines,
    health: async () => ({ log: await checkWritable({ ...threads, journal }, config.dataDir) }),
    storage: () => folderStorage(config.dataDir),
    disk: () => diskOf(config.dataDir),
    unfiledFrames: () => progress.durable - progress.filed,
    blind: openSealer(secrets.masterKey).blind,
    alone: true,
    // Two threads search.
    listsPerTenant: 1,
    needed: ['log', 'index'],
    openProviders: async (report) =>
      joinProviders(opening, await openSimulators(opening, report), { report, carrierReferences, dkimSigningFor }),
  }
}

type Threads = Readonly<{ writer: ThreadDriver<StoreMethods>; reader: ReaderThreads }>

const TAKE_OVER_REPORTED_MS = 5_000

/** The database threads: one files the journal into the tables, the others search. */
async function openThreads(
  { config, secrets, time, opened, logLine }: Opening,
  progress: JournalProgress,
): Promise<Threads> {
  const { masterKey } = secrets
  const takeOver = new TakeOverProgress()
  using _reports = takeOver.report(TAKE_OVER_REPORTED_MS, (events, of) =>
    logLine('info', 'store: taking over the messages of an earlier release', { events, of }),
  )
  const data: StoreThreadData = {
    path: join(config.dataDir, DATABASE_FILE),
    masterKey,
    indexBodies: config.indexBodies,
    clock: time.shared,
    progress: progress.shared,
    takeOver: takeOver.shared,
  }
  // Closed by the engine, between its log and its journal; twice does no harm.
  const writer = opened.use(await openThread<StoreMethods>(new URL('./store-thread.ts', import.meta.url), data))
  const reader = opened.use(await openReaderThreads(data.path))
  return { writer, reader }
}

async function openEngines(
  { config, secrets, clock, time, opened }: Opening,
  { writer, reader }: Threads,
  progress: JournalProgress,
): Promise<Engines & Readonly<{ journal: Journal }>> {
  const database = join(config.dataDir, DATABASE_FILE)
  const sealing = frameSealing(secrets.masterKey)
  const engine = opened.use(await openEngine(writer, reader, { database, clock, sealing, progress }))
  // The clock starts no earlier, so that time does not go back across restarts.
  if (engine.newestAt !== undefined) time.advanceTo(engine.newestAt)
  // Closed before the writer, so that its last counts are written.
  const limiter = opened.use(await openLimiter(writer, clock))
  const [rules, routes] = [await openLimitRules(writer), await openRoutes(writer, config.routes)]
  return {
    ...engine,
    limiter,
    rules,
    routes,
    tenants: await openTenants(writer, config.tenants),
    apiKeys: await openApiKeys(writer),
    domains: await openDomains(writer),
    breakers: await openBreakers(writer, breakerPolicyOf(config), clock()),
    rounds: inProcessRoundLock(),
  }
}

async function openSimulators({ config, time: { wall: clock }, opened }: Opening, report: Report): Promise<Providers> {
  const byName = new Map<ProviderName, Simulator>()
  for (const { name, settings } of config.providers.filter(isSimulator)) {
    const path = join(config.dataDir, name === 'simulator' ? 'simulator.db' : `simulator-${name}.db`)
    byName.set(name, opened.use(await openSimulator({ ...settings, name, path, clock, report })))
  }
  return omitUndefined({ byName, inbox: byName.size === 0 ? undefined : joinInboxes([...byName.values()]) })
}

/** Rebuilds what is derived from the messages, while nothing else uses the data folder. */
export async function rebuildEmbedded(
  config: Config,
  onProgress: OnProgress,
  onTakeOver: OnTakeOver,
): Promise<Rebuilt> {
  const { masterKey } = loadSecrets(config)
  prepareFolder(config.dataDir)
  await using engine = await openAlone(config.dataDir, masterKey, config.indexBodies, onTakeOver)
  const { writer, log } = engine
  return await rebuildTables(remote(writer, 'index').rebuild, await log.tip(), onProgress)
}

export type MigratedEmbedded = Readonly<{ from: number; to: number; known: number; events: number }>

/** Brings the data folder of a stopped gateway to this release: its schema, and the messages of an earlier one. */
export async function migrateEmbedded(config: Config, onProgress: OnProgress): Promise<MigratedEmbedded> {
  const from = schemaOf(pathIn(config.dataDir))
  const { masterKey } = loadSecrets(config)
  let events = 0
  await using _engine = await openAlone(config.dataDir, masterKey, config.indexBodies, (done, total) => {
    events = total
    onProgress(done, total)
  })
  return { from, to: SCHEMA_VERSION, known: SCHEMA_VERSION, events }
}

function schemaOf(path: string): number {
  using db = openUnchanged(path)
  return Number(db.prepare('pragma user_version').get()?.['user_version'])
}

function pathIn(folder: string): string {
  const path = join(folder, DATABASE_FILE)
  if (existsSync(path)) return path
  throw new DataDirError(`there is no ${path}; name the data folder of an embedded gateway`)
}

export type StoppedEmbedded = SqliteEngine &
  AsyncDisposable &
  Readonly<{
    rules: LimitRules
    routes: RouteBook
    tenants: Tenants
    apiKeys: ApiKeys
    domains: SendingDomains
    listing: SetupListing
    /** Identifies its master key. */
    mark: Sealer['mark']
  }>

/** Opens the data folder of a stopped gateway. */
export async function openStoppedEmbedded(
  config: Config,
  folder: string,
  onTakeOver?: OnTakeOver,
): Promise<StoppedEmbedded> {
  const path = pathIn(folder)
  // The folder has its own key, or the embedded gateway and the cluster share POMBO_MASTER_KEY.
  const { masterKey: _, ...settings } = config
  const own = existsSync(join(folder, MASTER_KEY_FILE)) ? settings : config
  const { masterKey } = loadSecrets({ ...own, dataDir: folder })
  await using opened = new AsyncDisposableStack()
  const engine = opened.use(await openAlone(folder, masterKey, config.indexBodies, onTakeOver))
  const listing = opened.use(openSetupListing(path))
  const [rules, routes] = [await openLimitRules(engine.writer), await openRoutes(engine.writer, [])]
  const tenants = await openTenants(engine.writer, [])
  const apiKeys = await openApiKeys(engine.writer)
  const domains = await openDomains(engine.writer)
  const all = opened.move()
  const { mark } = openSealer(masterKey)
  return {
    ...engine,
    listing,
    rules,
    routes,
    tenants,
    apiKeys,
    domains,
    mark,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

const systemClock = () => instant(Date.now())

async function openAlone(folder: string, masterKey: Uint8Array, indexBodies: boolean, onTakeOver?: OnTakeOver) {
  await using opened = new AsyncDisposableStack()
  opened.use(lockDataFolder(folder))
  const engine = opened.use(
    await openSqlite({
      path: join(folder, DATABASE_FILE),
      clock: systemClock,
      sealer: openSealer(masterKey),
      sealing: frameSealing(masterKey),
      indexBodies,
      ...omitUndefined({ onTakeOver }),
    }),
  )
  const all = opened.move()
  return { ...engine, [Symbol.asyncDispose]: () => all.disposeAsync() }
}
