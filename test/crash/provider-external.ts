/** An external provider, which survives the crashes of our processes. */
import type { EmailAddress } from '../../src/domain/email/address.ts'
import type { ProviderName } from '../../src/domain/ids.ts'
import type { Content, EmailContent, SmsContent } from '../../src/domain/message/message.ts'
import type { PhoneNumber } from '../../src/domain/message/phone-number.ts'
import type { MessageState } from '../../src/domain/message/state.ts'
import { MAIL_CONTENT } from '../../src/flows/email.fixture.ts'
import { CONTENT } from '../../src/flows/gateway.fixture.ts'
import type { Attempt, LookupResult, Provider, Receipt } from '../../src/ports/provider.ts'
import type { OpenedProvider } from '../../src/providers/kind.ts'
import type { Behaviour, Case, Traits } from './provider-cases.ts'

/** The name of every provider in these tests. */
export const NAME = 'one' as ProviderName
export const AN_SMS: SmsContent = { ...CONTENT, to: '+15551234567' as PhoneNumber }
export const A_MAIL: EmailContent = { ...MAIL_CONTENT, to: 'dulcinea.del.toboso@example.org' as EmailAddress }

/** A provider for one message, with the behaviour of the case. */
export type ExternalProvider = AsyncDisposable &
  Readonly<{
    /** A message for this provider; the text is replaced. */
    content: Content
    /** Opens the adapter of a process. `report` receives receipts that arrive on a connection. */
    connect: (process: Readonly<{ sends: boolean; report: (receipt: Receipt) => Promise<void> }>) => OpenedProvider
    /** Whether it has read the request of this call, the nth that was made. */
    hasRead: (attempt: Attempt, nth: number) => boolean | Promise<boolean>
    /** The number of send requests it has read; missing without a network connection. */
    requestCount?: () => number
    /** A call or its caller has ended. Most behaviours end with it. */
    callEnded: () => void
    /** A process has crashed. Resolves when its connections are closed. */
    processDied?: () => Promise<void>
    lookUp: (question: () => Promise<LookupResult>) => Promise<LookupResult>
    /** The numbers of the attempts it accepted, with repetitions. */
    acceptedAttempts: (message: MessageState) => Promise<readonly number[]>
    /** Reports everything it accepted as delivered; `reader` reads the callbacks. */
    reports: (message: MessageState, reader: Provider) => Promise<readonly Receipt[]>
  }>

export type Subject = Readonly<{
  name: string
  behaviours: readonly Behaviour[]
  traits: Traits
  open: () => Promise<AsyncDisposable & Readonly<{ openCase: (given: Case) => Promise<ExternalProvider> }>>
}>
