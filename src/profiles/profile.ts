/** What a profile provides: the engines behind the ports, the providers, and how its deployment differs. */
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import type { ProviderName } from '../domain/ids.ts'
import { BREAKER, type BreakerPolicy } from '../domain/routing/breaker.ts'
import type { Clock, ProcessClock } from '../lib/clock.ts'
import { seconds } from '../lib/time.ts'
import type { Engines } from '../ports/engines.ts'
import type { Provider, Receipt } from '../ports/provider.ts'
import type { Sealer } from '../ports/sealer.ts'
import type { Inbox } from '../ports/simulator-inbox.ts'
import type { DependencyHealth } from './health.ts'
import type { Disk, Storage } from './storage.ts'

/** What a profile is opened with. It puts everything that must be closed onto `opened`. */
export type Opening = Readonly<{
  config: Config
  secrets: Secrets
  clock: Clock
  /** The process clock that `clock` belongs to. */
  time: ProcessClock
  opened: AsyncDisposableStack
  onFault: (error: unknown) => void
  logLine: LogLine
}>

export type LogLine = (level: 'info' | 'warn', message: string, fields?: Readonly<Record<string, unknown>>) => void

export type Providers = Readonly<{ byName: ReadonlyMap<ProviderName, Provider>; inbox?: Inbox }>

export type Report = (receipts: readonly Receipt[]) => Promise<void>

export type Profile = Readonly<{
  engines: Engines
  blind: Sealer['blind']
  /** No other process works on these messages: an attempt that this process did not begin has lost its worker. */
  alone: boolean
  /** How many lists and searches of one tenant run at once: fewer than the stores can do, so that others have room. */
  listsPerTenant: number
  /** The health of what the profile depends on besides the log and the index. */
  health?: () => Promise<Readonly<Record<string, DependencyHealth>>>
  /** Whether the fallback decides limits. */
  areLimitsDegraded?: () => boolean
  storage: () => Promise<Storage>
  /** The disk with the data folder, where there is one. */
  disk?: () => Promise<Disk>
  /** Frames of the journal that are not in the tables yet, where there is a journal. */
  unfiledFrames?: () => number
  /** The dependencies without which the process is not ready. */
  needed: readonly string[]
  /** `report` takes the receipts of providers that report in process or on a connection we hold. */
  openProviders: (report: Report) => Promise<Providers>
}>

/** The lease of a trial call is longer than the call can take, so that only a lost trial is repeated. */
export const breakerPolicyOf = ({
  breakerFailures,
  breakerSeconds,
  providerTimeoutSeconds,
}: Config): BreakerPolicy => ({
  ...BREAKER,
  failures: breakerFailures,
  pause: seconds(breakerSeconds),
  lease: seconds(2 * providerTimeoutSeconds),
})
