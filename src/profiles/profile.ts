/** What a profile brings: the engines behind the ports, the providers, and what is peculiar to running on them. */
import type { Inbox } from '../api/simulator.ts'
import type { ProviderName } from '../domain/ids.ts'
import type { EventLog } from '../ports/event-log.ts'
import type { MessageIndex } from '../ports/message-index.ts'
import type { Provider, Receipt } from '../ports/provider.ts'
import type { Queue } from '../ports/queue.ts'
import type { Sealer } from '../ports/sealer.ts'
import type { Timeline } from '../ports/timeline.ts'

export type Engines = Readonly<{
  log: EventLog
  queue: Queue
  index: MessageIndex
  timeline?: Timeline
  /** What is made of the log besides messages, from now on; where the engine does it by itself there is nothing to start. */
  startProjecting?: (onFault: (error: unknown) => void) => Promise<AsyncDisposable>
}>

export type Providers = Readonly<{ byName: ReadonlyMap<ProviderName, Provider>; inbox?: Inbox }>

export type Report = (receipts: readonly Receipt[]) => Promise<void>

export type Profile = Readonly<{
  engines: Engines
  blind: Sealer['blind']
  /** No other process works on the messages: an attempt nobody here has begun has no owner left. */
  alone: boolean
  /** What cannot be missed for the work to go on; the rest is only told of. */
  needed: readonly ('log' | 'index')[]
  /** Some providers report to us in process. */
  openProviders: (report: Report) => Promise<Providers>
}>
