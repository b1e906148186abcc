/** How content is sealed: a key per message, made from the master key and a secret that can be destroyed. */
import type { MessageId, TenantId } from '../domain/ids.ts'
import type { Recipient } from '../domain/message/message.ts'

export interface Sealer {
  /** Tells one master key from another, and nothing else of it. */
  readonly mark: string

  /** Seals with a new secret. Without the secret, or without the master key, nothing can be read. */
  seal(id: MessageId, plain: Uint8Array): Readonly<{ sealed: Uint8Array; secret: Uint8Array }>

  /** Throws when the sealed bytes, the secret and the message do not belong together. */
  open(id: MessageId, sealed: Uint8Array, secret: Uint8Array): Uint8Array

  /** A keyed hash, equal for equal recipients of one tenant, by which they can be searched. */
  blind(tenantId: TenantId, recipient: Recipient): string
}
