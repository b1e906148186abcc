/** The methods between a gateway and the thread that sends for one of its providers. All arguments can be cloned. */
import type { EmailAddress } from '../../domain/email/address.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import type { Instant } from '../../lib/time.ts'
import type { Attempt, Connections, Receipt } from '../../ports/provider.ts'
import type { DkimSigning, ProviderContext } from '../kind.ts'
import type { RegisteredConfig } from '../registry.ts'

export type ThreadData = Readonly<{ config: RegisteredConfig }> & Pick<ProviderContext, 'name' | 'callbackUrl'>

export type SendingMethods = {
  /** `now` is the time of the gateway, which the thread's clock follows. */
  send: (attempt: Attempt, now: Instant, ofMail: OfMail, signal: AbortSignal) => SendOutcome
}

/** What the thread has only for one call: the key of the sender's domain, and where bounces go. */
export type OfMail = Readonly<{ dkim?: DkimSigning; bounceAddress?: EmailAddress }>

export type ProviderStatus = Readonly<{ hasRoom: boolean; connections: Connections }>

export type GatewayMethods = {
  report: (receipt: Receipt) => void
  log: ProviderContext['log']
  status: (status: ProviderStatus) => void
}
