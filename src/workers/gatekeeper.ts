/**
 * Unparks the jobs that wait for a provider as soon as it can be called, at the rate at which workers take them, and
 * one at a time for the trial call of its circuit breaker.
 *
 * It decides by what it finds each time and keeps no essential state: a job that is parked just after its gate opened
 * is found later, and any number of processes may do this.
 *
 * A parked job that finds another provider when it is rechecked shows that its tenant's routes have changed. Then the
 * tenant's other jobs are unparked too.
 */

import type { ProviderName, TenantId } from '../domain/ids.ts'
import type { Breaker } from '../domain/routing/breaker.ts'
import type { ProviderSlots } from '../domain/routing/provider-slots.ts'
import { UnparkPace } from '../domain/routing/unpark-pace.ts'
import { isDisconnected } from '../flows/send/choose-provider.ts'
import type { Clock } from '../lib/clock.ts'
import type { Soon } from '../lib/soon.ts'
import { type Instant, later, seconds } from '../lib/time.ts'
import type { Breakers } from '../ports/breakers.ts'
import type { Provider } from '../ports/provider.ts'
import type { Disposition, Gate, Job, Queue, Taken } from '../ports/queue.ts'

export type GatekeeperDeps = Readonly<{
  queue: Pick<Queue, 'unpark'>
  breakers: Pick<Breakers, 'states'>
  providers: ReadonlyMap<ProviderName, Provider>
  slots: Pick<ProviderSlots, 'size' | 'refused'>
  clock: Clock
}>

/** How often a process checks; without changes that costs nothing. */
export const LOOK_EVERY_MS = 250
/** How often it checks for jobs that were parked at an open gate. */
const LOOK_AGAIN = seconds(5)
/** The delay between two jobs unparked for a trial: the first may have nothing to send. */
const NEXT_TRIAL = seconds(1)
/** How many jobs of a rerouted tenant to unpark at first. */
const FIRST_OF_TENANT = 16

/** Whether a provider can be called: `trial` means that its breaker permits one call. */
type GateStatus = 'open' | 'trial' | 'shut'
/** The unparking for a provider or a tenant. It starts over when the provider's status changes. */
type Watched = { readonly status: GateStatus; readonly pace: UnparkPace; lookAt: Instant; refused: number }

export class Gatekeeper {
  readonly #deps: GatekeeperDeps
  readonly #gates = new Map<ProviderName, Watched>()
  readonly #rerouted = new Map<TenantId, Watched>()

  constructor(deps: GatekeeperDeps) {
    this.#deps = deps
  }

  /** Checks every provider once. Not to be called concurrently. */
  async look(): Promise<void> {
    const providers = this.#deps.providers.values().map((provider) => this.#unparkProvider(provider))
    const tenants = this.#rerouted.entries().map(([tenantId, watched]) => this.#unparkTenant(tenantId, watched))
    await Promise.all([...providers, ...tenants])
  }

  /** Works on a job, and learns from it if it was parked. */
  watch({ gate, job }: Taken, work: () => Soon<Disposition>): Soon<Disposition> {
    return gate === undefined ? work() : this.#watchParked(gate, job, work)
  }

  async #watchParked(gate: Gate, job: Job, work: () => Soon<Disposition>): Promise<Disposition> {
    for (const provider of gate) this.#gates.get(provider)?.pace.taken()
    this.#rerouted.get(job.tenantId)?.pace.taken()
    const wasShut = this.#isShut(gate)
    const disposition = await work()
    if (disposition.kind === 'parked') this.#rerouted.delete(job.tenantId)
    else if (wasShut && disposition.kind === 'gone') this.#reroute(job.tenantId)
    return disposition
  }

  async #unparkProvider(provider: Provider): Promise<void> {
    const { queue, slots, clock } = this.#deps
    const now = clock()
    const status = this.#statusOf(provider, now)
    const refused = slots.refused(provider.name)
    const known = this.#gates.get(provider.name)
    const fresh = { status, pace: new UnparkPace(slots.size), lookAt: now, refused }
    const watched: Watched = known?.status === status ? known : fresh
    this.#gates.set(provider.name, watched)
    if (status === 'shut') return
    const isFull = refused > watched.refused || provider.hasRoom?.() === false
    watched.refused = refused
    const portion = watched.pace.portion(now)
    const wanted = status === 'trial' ? 1 : isFull ? 0 : portion
    if (watched.lookAt > now || wanted === 0) return
    const count = await queue.unpark({ provider: provider.name }, wanted)
    watched.pace.unparked(count)
    if (count === wanted) watched.lookAt = status === 'trial' ? later(now, NEXT_TRIAL) : now
    else watched.lookAt = later(now, LOOK_AGAIN)
  }

  async #unparkTenant(tenantId: TenantId, watched: Watched): Promise<void> {
    const { queue, slots, clock } = this.#deps
    const refused = slots.refused()
    const isFull = refused > watched.refused
    watched.refused = refused
    const portion = watched.pace.portion(clock())
    if (isFull || portion === 0) return
    const count = await queue.unpark({ tenantId }, portion)
    watched.pace.unparked(count)
    if (count === 0) this.#rerouted.delete(tenantId)
  }

  #reroute(tenantId: TenantId): void {
    if (this.#rerouted.has(tenantId)) return
    const { slots, clock } = this.#deps
    const pace = new UnparkPace(FIRST_OF_TENANT)
    this.#rerouted.set(tenantId, { status: 'open', pace, lookAt: clock(), refused: slots.refused() })
  }

  #isShut(gate: Gate): boolean {
    const now = this.#deps.clock()
    const providers = gate.flatMap((name) => this.#deps.providers.get(name) ?? [])
    return providers.every((provider) => this.#statusOf(provider, now) === 'shut')
  }

  #statusOf(provider: Provider, now: Instant): GateStatus {
    return isDisconnected(provider) ? 'shut' : statusOf(this.#deps.breakers.states().get(provider.name), now)
  }
}

function statusOf(breaker: Breaker | undefined, now: Instant): GateStatus {
  if (breaker === undefined || breaker.kind === 'closed') return 'open'
  return breaker.retryAt <= now ? 'trial' : 'shut'
}
