/**
 * The simulator: a provider that needs no account, to try every path of a message. What it received and the pending
 * receipts are in its own file, so they survive our process. It is the only place where content is stored unencrypted.
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
/** In process there is no callback URL. */
const IN_PROCESS = ''

export async function openSimulator({ name = SIMULATOR, ...options }: SimulatorOptions): Promise<Simulator> {
  const carrier = await openCarrier(options)
  return {
    name,
    capabilities: { channels: ['sms', 'email'], reports: 'callback', users: true, simulated: true },
    send: (attempt, signal) => carrier.send(toHandover(attempt, IN_PROCESS), signal),
    // It reports in process, so a callback is never from the simulator.
    readCallback: async () => 'forged',
    lookup: (_ref, id) => carrier.lookup(id),
    inbox: carrier.inbox,
    mail: carrier.mail,
    [Symbol.asyncDispose]: () => carrier[Symbol.asyncDispose](),
  }
}
