/** A provider as it stands outside: it does not die with our processes, and takes what it takes. */
import type { EmailAddress } from '../../src/domain/email/address.ts'
import type { ProviderName } from '../../src/domain/ids.ts'
import type { Content, EmailContent, SmsContent } from '../../src/domain/message/message.ts'
import type { PhoneNumber } from '../../src/domain/message/phone-number.ts'
import type { MessageState } from '../../src/domain/message/state.ts'
import { MAIL_CONTENT } from '../../src/flows/email.fixture.ts'
import { CONTENT } from '../../src/flows/gateway.fixture.ts'
import type { Attempt, LookupResult, Provider, Receipt } from '../../src/ports/provider.ts'
import type { OpenedProvider } from '../../src/providers/kind.ts'
import type { Case, Conduct, Traits } from './provider-table.ts'

/** Every one of them goes by it. */
export const NAME = 'one' as ProviderName
export const AN_SMS: SmsContent = { ...CONTENT, to: '+15551234567' as PhoneNumber }
export const A_MAIL: EmailContent = { ...MAIL_CONTENT, to: 'dulcinea.del.toboso@example.org' as EmailAddress }

/** One provider for one message, behaving as the case has it. */
export type Outside = AsyncDisposable &
  Readonly<{
    /** What it can be sent, but for the text. */
    content: Content
    /** The adapter of one more process. `report` is for what comes on a connection. */
    connect: (process: Readonly<{ sends: boolean; report: (receipt: Receipt) => Promise<void> }>) => OpenedProvider
    /** Whether it has read the request of this call, the so-many-eth that was made. */
    hasRead: (attempt: Attempt, nth: number) => boolean | Promise<boolean>
    /** How many requests to send it has read, where there is a wire to read them from. */
    heard?: () => number
    /** A call has ended, or its caller. Most conducts end with it. */
    callEnded: () => void
    /** A process has died. Resolves when its connections are gone too. */
    processDied?: () => Promise<void>
    ask: (question: () => Promise<LookupResult>) => Promise<LookupResult>
    /** Which attempts it took, by their numbers and as often as it took them. */
    taken: (message: MessageState) => Promise<readonly number[]>
    /** Lets it report all it took as delivered; what of it comes as a callback is read by `reader`. */
    reports: (message: MessageState, reader: Provider) => Promise<readonly Receipt[]>
  }>

export type Subject = Readonly<{
  name: string
  conducts: readonly Conduct[]
  traits: Traits
  open: () => Promise<AsyncDisposable & Readonly<{ meet: (given: Case) => Promise<Outside> }>>
}>
