/** What the file of a provider declares about its kind, what it is given to work with, and the schemas of its settings. */
import { type Static, type TObject, Type } from 'typebox'
import type { EmailAddress } from '../domain/email/address.ts'
import type { ProviderName } from '../domain/ids.ts'
import type { Channel } from '../domain/message/message.ts'
import type { SendOutcome } from '../domain/message/outcome.ts'
import type { Clock } from '../lib/clock.ts'
import type { Instant } from '../lib/time.ts'
import type { CarrierReferences } from '../ports/carrier-references.ts'
import type { Attempt, Capabilities, EmailAttempt, Provider, Receipt, SmsAttempt } from '../ports/provider.ts'
import { reasonOf } from '../ports/unavailable.ts'
import { forProvider } from './provider-errors.ts'

export type OpenedProvider = Provider & AsyncDisposable

/** What a provider is opened with besides its settings. */
export type ProviderContext = Readonly<{
  name: ProviderName
  clock: Clock
  /** Our callback URL for this provider, if it should report there. */
  callbackUrl?: string
  /** Whether this process sends. Others only read callbacks and look up messages, and need no connection. */
  sends: boolean
  /** Stores a receipt that arrived on a connection we hold. Resolves once it is stored. */
  report: (receipt: Receipt) => Promise<void>
  carrierReferences: CarrierReferences
  /** How to sign an email for the domain of its sender; undefined if the tenant has published no key for it. */
  dkimSigningFor?: (attempt: EmailAttempt) => DkimSigning | undefined
  /** Where bounces of an email should go; undefined for the address of its sender. */
  bounceAddressFor?: (attempt: EmailAttempt) => EmailAddress | undefined
  /** Writes a line to the operator's log, as `component: event`. */
  log: (level: 'info' | 'warn', event: string, fields?: Readonly<Record<string, unknown>>) => void
}>

/** A DKIM key of a sending domain. Never log it or keep it: it is private. */
export type DkimSigning = Readonly<{ domain: string; selector: string; privateKey: string }>

/** One kind of provider. Each schema has a description, and `must` says what a valid value looks like. */
export type ProviderKind<Settings extends TObject> = Readonly<{
  description: string
  channels: readonly Channel[]
  settings: Settings
  /** It sends in its own worker thread, because its messages may be large and slow to encode. */
  sendsInThread?: true
  /** Settings that are valid but suspicious; they are logged at startup. */
  warnings?: (settings: Static<Settings>) => readonly string[]
  open: (settings: Static<Settings>, context: ProviderContext) => OpenedProvider
}>

/** For providers that carry only SMS. Routes that use them for another channel are refused when they are created. */
export const smsOnly =
  (send: (attempt: SmsAttempt, signal: AbortSignal) => Promise<SendOutcome>): Provider['send'] =>
  async (attempt, signal) =>
    attempt.channel === 'sms' ? send(attempt, signal) : forProvider('WRONG_CHANNEL', 'the provider carries only SMS')

/** For providers that carry only email. */
export const mailOnly =
  (send: (attempt: EmailAttempt, signal: AbortSignal) => Promise<SendOutcome>): Provider['send'] =>
  async (attempt, signal) =>
    attempt.channel === 'email'
      ? send(attempt, signal)
      : forProvider('WRONG_CHANNEL', 'the provider carries only email')

/** How a provider reports that uses callbacks where we have a callback URL. */
export const reportsTo = ({ callbackUrl }: ProviderContext): Capabilities['reports'] =>
  callbackUrl === undefined ? 'never' : 'callback'

/** The parameter of a callback URL that names the worker which made the attempt. */
export const WORKER = 'worker'

/** A callback URL for one attempt: reports that come back there are passed to the worker that made it. */
export const withWorker = (callbackUrl: string, { worker }: Pick<Attempt, 'worker'>): string =>
  worker === undefined ? callbackUrl : `${callbackUrl}?${WORKER}=${worker}`

/** The validity period that is left, in whole seconds; zero when the message must not be sent any more. */
export const validityOf = (expiresAt: Instant, now: Instant): number =>
  Math.max(0, Math.floor((expiresAt - now) / 1000))

/**
 * Stores a failure that the provider reported in its answer to the send. If that fails, a later lookup finds it again.
 */
export const reportAtOnce = ({ report, log }: ProviderContext, receipt: Receipt): Promise<void> =>
  report(receipt).catch((error: unknown) => {
    log('warn', 'provider: failure reported with the answer could not be stored', { reason: reasonOf(error) })
  })

export const text = (description: string, must: string, pattern = '^[^\\s]+$') =>
  Type.String({ description, must, pattern, maxLength: 500 })

export const secret = (description: string) => text(description, 'a secret without spaces, best given by a variable')

/** The API's base URL, for another region or for a test server. */
export const baseUrl = (usual: string) =>
  Type.Optional(
    Type.Refine(
      Type.String({
        description: `The base URL of the API (${usual}).`,
        must: 'a URL that begins with http:// or https://',
      }),
      (value) => /^https?:\/\//.test(value) && URL.canParse(value),
    ),
  )

export const callbacks = Type.Optional(
  Type.Boolean({
    description:
      'Whether the provider sends status callbacks to `POMBO_PUBLIC_URL` (true). Otherwise we only poll its API.',
    must: 'true or false',
  }),
)

/** Refuses unknown keys. */
export const closed = { additionalProperties: false, must: 'an object' }
