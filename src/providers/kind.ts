/** What a file of a provider tells about its kind, and the words its settings are described in. */
import { type Static, type TObject, Type } from 'typebox'
import type { ProviderName } from '../domain/ids.ts'
import type { Channel } from '../domain/message/message.ts'
import type { SendOutcome } from '../domain/message/outcome.ts'
import type { Clock } from '../lib/clock.ts'
import type { CarrierReferences } from '../ports/carrier-references.ts'
import type { Capabilities, EmailAttempt, Provider, Receipt, SmsAttempt } from '../ports/provider.ts'
import { reasonOf } from '../ports/unavailable.ts'
import { forProvider } from './provider-errors.ts'

export type OpenedProvider = Provider & AsyncDisposable

/** Where a provider finds itself. */
export type ProviderContext = Readonly<{
  name: ProviderName
  clock: Clock
  /** Our callback URL for it, where it is to report there. */
  callbackUrl?: string
  /** Whether this process sends; others only read callbacks and ask, and need no connection of their own. */
  sends: boolean
  /** Where reports go that come on a connection we hold. Resolves once they are stored. */
  report: (receipt: Receipt) => Promise<void>
  receipts: CarrierReferences
  /** Tells the operator what he should know, with fields for the log. */
  tell: (level: 'info' | 'warn', sentence: string, fields?: Readonly<Record<string, unknown>>) => void
}>

/** One kind of provider. Each schema carries a description, and in `must` how a right value reads. */
export type ProviderKind<Settings extends TObject> = Readonly<{
  description: string
  channels: readonly Channel[]
  settings: Settings
  /** What it sends may be large, and takes long to write: it sends in a thread of its own. */
  sendsInThread?: true
  /** What is suspicious about settings that are allowed; the operator is told at start. */
  warnings?: (settings: Static<Settings>) => readonly string[]
  open: (settings: Static<Settings>, place: ProviderContext) => OpenedProvider
}>

/** For those that carry SMS alone. A route that names them for anything else is refused where it is made. */
export const smsOnly =
  (send: (attempt: SmsAttempt, signal: AbortSignal) => Promise<SendOutcome>): Provider['send'] =>
  async (attempt, signal) =>
    attempt.channel === 'sms' ? send(attempt, signal) : forProvider('WRONG_CHANNEL', 'the provider carries only SMS')

/** The same for mail. */
export const mailOnly =
  (send: (attempt: EmailAttempt, signal: AbortSignal) => Promise<SendOutcome>): Provider['send'] =>
  async (attempt, signal) =>
    attempt.channel === 'email' ? send(attempt, signal) : forProvider('WRONG_CHANNEL', 'the provider carries only mail')

/** How a provider reports that calls our callback URL, where it is to. */
export const reportsTo = ({ callbackUrl }: ProviderContext): Capabilities['reports'] =>
  callbackUrl === undefined ? 'never' : 'callback'

/**
 * Stores that the provider took a message and that it has failed already, as the answer to the send says. Should that
 * not be possible now, the provider says so again when it is asked.
 */
export const reportAtOnce = ({ report, tell }: ProviderContext, receipt: Receipt): Promise<void> =>
  report(receipt).catch((error: unknown) => {
    tell('warn', 'a failure in the answer to a send could not be stored', { reason: reasonOf(error) })
  })

export const text = (description: string, must: string, pattern = '^[^\\s]+$') =>
  Type.String({ description, must, pattern, maxLength: 500 })

export const secret = (description: string) => text(description, 'a secret without spaces, best given by a variable')

/** Where the provider is called, for a region of its own or a stand-in. */
export const baseUrl = (usual: string) =>
  Type.Optional(
    Type.Refine(
      Type.String({
        description: `Where it is called (${usual}).`,
        must: 'an address that begins with http:// or https://',
      }),
      (value) => /^https?:\/\//.test(value) && URL.canParse(value),
    ),
  )

export const callbacks = Type.Optional(
  Type.Boolean({
    description: 'Whether it reports to `POMBO_PUBLIC_URL` what became of messages (true); else it is only asked.',
    must: 'true or false',
  }),
)

/** An object that knows no keys but these. */
export const closed = { additionalProperties: false, must: 'an object' }
