/**
 * The simulator: a provider that plays the outside world, so that every path can be tried without an
 * account. The world does not die with our process: what was received, and the receipts owed for it,
 * live in a file of its own. It alone keeps content in the clear.
 */
import type { ProviderName } from '../../domain/ids.ts'
import type { Provider } from '../../ports/provider.ts'
import { type Carrier, type CarrierOptions, openCarrier } from './carrier.ts'
import { toHandover } from './handover.ts'

export type SimulatorOptions = Omit<CarrierOptions, 'alone'> & Readonly<{ name?: ProviderName }>

export type Simulator = Provider &
  AsyncDisposable &
  Pick<Carrier, 'inbox' | 'mail'> &
  Readonly<{ lookup: NonNullable<Provider['lookup']> }>

const SIMULATOR = 'simulator' as ProviderName
/** The callback of a process that needs none. */
const HERE = ''

export async function openSimulator({ name = SIMULATOR, ...options }: SimulatorOptions): Promise<Simulator> {
  const carrier = await openCarrier(options)
  return {
    name,
    capabilities: { channels: ['sms', 'email'], reports: 'callback', users: true },
    send: (attempt, signal) => carrier.send(toHandover(attempt, HERE), signal),
    // It reports in process, so whoever calls from outside is not the simulator.
    readCallback: async () => 'forged',
    lookup: (_ref, id) => carrier.lookup(id),
    inbox: carrier.inbox,
    mail: carrier.mail,
    [Symbol.asyncDispose]: () => carrier[Symbol.asyncDispose](),
  }
}
