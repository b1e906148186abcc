/** Seals content with a key per message, derived from the master key and a secret that can be destroyed. */
import type { MessageId, TenantId } from '../domain/ids.ts'
import type { Recipient } from '../domain/message/message.ts'

export interface Sealer {
  /** Identifies the master key without revealing it. */
  readonly mark: string

  /** Seals with a new secret. Reading takes both the secret and the master key. */
  seal(id: MessageId, plain: Uint8Array): Readonly<{ sealed: Uint8Array; secret: Uint8Array }>

  /** Throws when the sealed bytes, the secret and the message do not match. */
  open(id: MessageId, sealed: Uint8Array, secret: Uint8Array): Uint8Array

  /** A keyed hash for searching, equal for equal recipients of one tenant. */
  blind(tenantId: TenantId, recipient: Recipient): string
}

/** Seals short texts for a context that is not secret: a sealed text opens in no other. */
export interface TextSealer {
  seal(context: string, text: string): string

  /** Throws if it was sealed for another context, or with another master key. */
  open(context: string, sealed: string): string
}

/** Seals the frames of a journal; each has a number of its own. */
export interface FrameSealer {
  seal(frame: number, text: string): Uint8Array

  /** Throws if the bytes are not the sealed frame of that number. */
  open(frame: number, sealed: Uint8Array): string
}

/** The frames of one epoch share a secret: destroying it makes all of them unreadable. */
export type OpenFrameSealer = (secret: Uint8Array) => FrameSealer
