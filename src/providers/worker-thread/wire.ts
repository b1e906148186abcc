/** What is said between a gateway and the thread that sends for one of its providers. All of it can be cloned. */

import type { SendOutcome } from '../../domain/message/outcome.ts'
import type { Instant } from '../../lib/time.ts'
import type { Attempt, Connections, Receipt } from '../../ports/provider.ts'
import type { ProviderContext } from '../kind.ts'
import type { RegisteredConfig } from '../registry.ts'

/** What the thread is started with. */
export type ThreadData = Readonly<{ config: RegisteredConfig }> & Pick<ProviderContext, 'name' | 'callbackUrl'>

/** To the thread. It has no clock of its own: `now` is ours. */
export type Asked =
  | Readonly<{ kind: 'send'; id: number; attempt: Attempt; now: Instant }>
  | Readonly<{ kind: 'give up'; id: number }>
  /** The answer to a report. */
  | Readonly<{ kind: 'stored'; id: number; failure?: string }>
  | Readonly<{ kind: 'close' }>

/** What a provider tells of itself at any time. */
export type Standing = Readonly<{ hasRoom: boolean; connections: Connections }>

/** From the thread. */
export type Told =
  | Readonly<{ kind: 'sent'; id: number; outcome: SendOutcome }>
  /** A bug of ours, by the name of the error. */
  | Readonly<{ kind: 'broken'; id: number; name: string }>
  | Readonly<{ kind: 'report'; id: number; receipt: Receipt }>
  | Readonly<{ kind: 'standing'; standing: Standing }>
  | Readonly<{ kind: 'note'; note: Parameters<ProviderContext['log']> }>
