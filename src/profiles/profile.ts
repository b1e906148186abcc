/** What a profile brings: the engines behind the ports, the providers, and what is peculiar to running on them. */

import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import type { ProviderName } from '../domain/ids.ts'
import { BREAKER, type BreakerPolicy } from '../domain/routing/breaker.ts'
import type { Clock, ProcessClock } from '../lib/clock.ts'
import { seconds } from '../lib/time.ts'
import type { Breakers } from '../ports/breakers.ts'
import type { CarrierReferences } from '../ports/carrier-references.ts'
import type { Challenges } from '../ports/challenges.ts'
import type { Endpoints } from '../ports/endpoints.ts'
import type { Erasures } from '../ports/erasures.ts'
import type { EventLog } from '../ports/event-log.ts'
import type { LimitRules } from '../ports/limit-rules.ts'
import type { Limiter } from '../ports/limiter.ts'
import type { MessageIndex } from '../ports/message-index.ts'
import type { Provider, Receipt } from '../ports/provider.ts'
import type { Queue } from '../ports/queue.ts'
import type { Recipients } from '../ports/recipients.ts'
import type { RoundLock } from '../ports/round-lock.ts'
import type { RouteBook } from '../ports/routes.ts'
import type { Sealer } from '../ports/sealer.ts'
import type { Inbox } from '../ports/simulator-inbox.ts'
import type { Suppressions } from '../ports/suppressions.ts'
import type { Templates } from '../ports/templates.ts'
import type { Timeline } from '../ports/timeline.ts'
import type { WebhookDeliveries } from '../ports/webhook-deliveries.ts'
import type { ProviderContext } from '../providers/kind.ts'

/** What a profile is opened with. Whatever it opens goes onto the stack. */
export type Opening = Readonly<{
  config: Config
  secrets: Secrets
  clock: Clock
  /** Where `clock` is from, and what it differs from the wall clock by. */
  time: ProcessClock
  opened: AsyncDisposableStack
  onFault: (error: unknown) => void
  tell: ProviderContext['log']
}>

export type Engines = Readonly<{
  log: EventLog
  queue: Queue
  index: MessageIndex
  timeline?: Timeline
  limiter: Limiter
  rules: LimitRules
  challenges: Challenges
  recipients: Recipients
  templates: Templates
  routes: RouteBook
  breakers: Breakers
  receipts: CarrierReferences
  endpoints: Endpoints
  webhookDeliveries: WebhookDeliveries
  erasures: Erasures
  rounds: RoundLock
  suppressions: Suppressions
  /** What is made of the log besides messages, from now on; where the engine does it by itself there is nothing to start. */
  startProjecting?: (onFault: (error: unknown) => void) => Promise<AsyncDisposable>
  /** Destroys keys and contents whose message was never written, where the engine cannot write them all at once. */
  sweep?: (onSwept: (kind: string, count: number) => void, signal: AbortSignal) => Promise<void>
}>

export type Providers = Readonly<{ byName: ReadonlyMap<ProviderName, Provider>; inbox?: Inbox }>

export type Report = (receipts: readonly Receipt[]) => Promise<void>

export type Profile = Readonly<{
  engines: Engines
  blind: Sealer['blind']
  /** No other process works on the messages: an attempt nobody here has begun has no owner left. */
  alone: boolean
  /** How what it stands on is, besides the log and the index that every profile has. */
  health?: () => Promise<Readonly<Record<string, Readonly<{ ok: boolean; detail?: string }>>>>
  /** Whether limits are decided by what stands in for the usual. */
  areLimitsDegraded?: () => boolean
  /** What cannot be missed for the work to go on; the rest is only told of. */
  needed: readonly string[]
  /** Some providers report to us in process. */
  openProviders: (report: Report) => Promise<Providers>
}>

/** A trial is lost only when the call would have timed out long ago. */
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
