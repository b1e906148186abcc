/** The methods between a gateway and the thread that sends for one of its providers. All arguments can be cloned. */
import type { SendOutcome } from '../../domain/message/outcome.ts'
import type { Instant } from '../../lib/time.ts'
import type { Attempt, Connections, Receipt } from '../../ports/provider.ts'
import type { DkimSigning, ProviderContext } from '../kind.ts'
import type { RegisteredConfig } from '../registry.ts'

export type ThreadData = Readonly<{ config: RegisteredConfig }> & Pick<ProviderContext, 'name' | 'callbackUrl'>

export type SendingMethods = {
  /**
   * `now` is the time of the gateway, which the thread's clock follows. `dkim` is the key of the sender's domain: the
   * thread has it only for this call.
   */
  send: (attempt: Attempt, now: Instant, dkim: DkimSigning | undefined, signal: AbortSignal) => SendOutcome
}

export type ProviderStatus = Readonly<{ hasRoom: boolean; connections: Connections }>

export type GatewayMethods = {
  report: (receipt: Receipt) => void
  log: ProviderContext['log']
  status: (status: ProviderStatus) => void
}
