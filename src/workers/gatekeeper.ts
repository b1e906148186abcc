/**
 * Unparks the jobs that wait for a provider as soon as it can be called, at the pace at which workers take them, and
 * one at a time for the trial call of its circuit breaker.
 *
 * It goes by what it finds at each look and remembers nothing that matters: a job that is parked just after its gate
 * opened is found by a later look, and any number of processes may do this at once.
 *
 * A parked job that finds another way when it looks again by itself tells that its tenant's routes have changed. Then
 * the rest of the tenant's are let out too.
 */

import type { ProviderName, TenantId } from '../domain/ids.ts'
import type { Breaker } from '../domain/routing/breaker.ts'
import { Drain } from '../domain/routing/unpark-pace.ts'
import type { Disposition } from '../flows/send/disposition.ts'
import type { ProviderSlots } from '../flows/send/provider-slots.ts'
import { isCutOff } from '../flows/send/routes.ts'
import type { Clock } from '../lib/clock.ts'
import { type Instant, later, seconds } from '../lib/time.ts'
import type { Breakers } from '../ports/breakers.ts'
import type { Provider } from '../ports/provider.ts'
import type { Gate, Queue, Taken } from '../ports/queue.ts'

export type GatekeeperDeps = Readonly<{
  queue: Pick<Queue, 'unpark'>
  breakers: Pick<Breakers, 'states'>
  providers: ReadonlyMap<ProviderName, Provider>
  slots: Pick<ProviderSlots, 'size' | 'refused'>
  clock: Clock
}>

/** How often a process looks; where nothing has changed that costs nothing. */
export const LOOK_EVERY_MS = 250
/** How often it looks for what was parked at a gate that is open. */
const LOOK_AGAIN = seconds(5)
/** Between two jobs let out for a trial: the first may turn out to have nothing to send. */
const NEXT_TRIAL = seconds(1)
/** Of a tenant whose routes have changed, to begin with. */
const FIRST_OF_TENANT = 16

/** Whether a provider can be called: `trial` means that its breaker waits for one call. */
type Standing = 'open' | 'trial' | 'shut'
/** What is let out for a provider or a tenant. A provider whose standing changes is begun with anew. */
type Watched = { readonly standing: Standing; readonly drain: Drain; lookAt: Instant; refused: number }

export class Gatekeeper {
  readonly #deps: GatekeeperDeps
  readonly #gates = new Map<ProviderName, Watched>()
  readonly #rerouted = new Map<TenantId, Watched>()

  constructor(deps: GatekeeperDeps) {
    this.#deps = deps
  }

  /** One look at every provider. Never two at once. */
  async look(): Promise<void> {
    const providers = this.#deps.providers.values().map((provider) => this.#lookAt(provider))
    const tenants = this.#rerouted.entries().map(([tenantId, watched]) => this.#letOut(tenantId, watched))
    await Promise.all([...providers, ...tenants])
  }

  /** Works on a job, and learns from it if it was parked before. */
  async watch(taken: Taken, work: () => Promise<Disposition>): Promise<Disposition> {
    const { gate, job } = taken
    if (gate === undefined) return work()
    for (const provider of gate) this.#gates.get(provider)?.drain.taken()
    this.#rerouted.get(job.tenantId)?.drain.taken()
    const wasShut = this.#isShut(gate)
    const disposition = await work()
    if (disposition.kind === 'parked') this.#rerouted.delete(job.tenantId)
    else if (wasShut && disposition.kind === 'gone') this.#reroute(job.tenantId)
    return disposition
  }

  async #lookAt(provider: Provider): Promise<void> {
    const { queue, slots, clock } = this.#deps
    const now = clock()
    const standing = this.#standingOf(provider, now)
    const refused = slots.refused(provider.name)
    const known = this.#gates.get(provider.name)
    const fresh = { standing, drain: new Drain(slots.size), lookAt: now, refused }
    const watched: Watched = known?.standing === standing ? known : fresh
    this.#gates.set(provider.name, watched)
    if (standing === 'shut') return
    const isCrowded = refused > watched.refused || provider.hasRoom?.() === false
    watched.refused = refused
    const portion = watched.drain.portion(now)
    const wanted = standing === 'trial' ? 1 : isCrowded ? 0 : portion
    if (watched.lookAt > now || wanted === 0) return
    const count = await queue.unpark({ provider: provider.name }, wanted)
    watched.drain.letOut(count)
    if (count === wanted) watched.lookAt = standing === 'trial' ? later(now, NEXT_TRIAL) : now
    else watched.lookAt = later(now, LOOK_AGAIN)
  }

  async #letOut(tenantId: TenantId, watched: Watched): Promise<void> {
    const { queue, slots, clock } = this.#deps
    const refused = slots.refused()
    const isCrowded = refused > watched.refused
    watched.refused = refused
    const portion = watched.drain.portion(clock())
    if (isCrowded || portion === 0) return
    const count = await queue.unpark({ tenantId }, portion)
    watched.drain.letOut(count)
    if (count === 0) this.#rerouted.delete(tenantId)
  }

  #reroute(tenantId: TenantId): void {
    if (this.#rerouted.has(tenantId)) return
    const { slots, clock } = this.#deps
    const drain = new Drain(FIRST_OF_TENANT)
    this.#rerouted.set(tenantId, { standing: 'open', drain, lookAt: clock(), refused: slots.refused() })
  }

  #isShut(gate: Gate): boolean {
    const now = this.#deps.clock()
    const providers = gate.flatMap((name) => this.#deps.providers.get(name) ?? [])
    return providers.every((provider) => this.#standingOf(provider, now) === 'shut')
  }

  #standingOf(provider: Provider, now: Instant): Standing {
    return isCutOff(provider) ? 'shut' : standingOf(this.#deps.breakers.states().get(provider.name), now)
  }
}

function standingOf(breaker: Breaker | undefined, now: Instant): Standing {
  if (breaker === undefined || breaker.kind === 'closed') return 'open'
  return breaker.retryAt <= now ? 'trial' : 'shut'
}
