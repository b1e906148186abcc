/** A gateway for suppression tests that sends email to Ana, with Rui in cc and Eva in bcc. */
import type { EmailAddress } from '../../domain/email/address.ts'
import type { Suppression } from '../../domain/email/suppression.ts'
import type { EmailContent } from '../../domain/message/message.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Breakers } from '../../ports/breakers.ts'
import type { EventLog } from '../../ports/event-log.ts'
import type { MessageIndex } from '../../ports/message-index.ts'
import type { Queue } from '../../ports/queue.ts'
import type { Suppressions } from '../../ports/suppressions.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { WebhookAttempts } from '../../ports/webhook-attempts.ts'
import type { Ids } from '../../ports/world.ts'
import { fakeMailer, MAIL_CONTENT, MAIL_SUBMISSION as TO_ANA_ALONE } from '../email.fixture.ts'
import { ACCEPTS, type Answer, openGateway, TENANT } from '../gateway.fixture.ts'
import type { Submission } from '../send/accept.ts'

export const ANA = 'Ana@example.com' as EmailAddress
export const RUI = 'rui@example.com' as EmailAddress
export const EVA = 'eva@example.com' as EmailAddress

export const CONTENT: EmailContent = { ...MAIL_CONTENT, to: ANA, cc: [{ address: RUI }], bcc: [{ address: EVA }] }

export const MAIL_SUBMISSION: Submission = { ...TO_ANA_ALONE, content: CONTENT }

/** A suppression list that cannot be reached. */
export const UNAVAILABLE: Suppressions = {
  add: () => Promise.reject(new Unavailable('unreachable')),
  find: () => Promise.reject(new Unavailable('unreachable')),
  remove: () => Promise.reject(new Unavailable('unreachable')),
  list: () => Promise.reject(new Unavailable('unreachable')),
}

type Engine = Readonly<{
  log: EventLog
  queue: Queue
  index: MessageIndex
  breakers: Breakers
  webhookAttempts: WebhookAttempts
  suppressions: Suppressions
}>

type MailWorld<Opened extends Engine> = Readonly<{ openEngine: (options: { clock: Clock }) => Opened; ids: Ids }>

export function openMailGateway<Opened extends Engine>(
  { openEngine, ids }: MailWorld<Opened>,
  answers: readonly Answer[] = [ACCEPTS],
) {
  const provider = fakeMailer(answers)
  const engine = openEngine({ clock: () => gateway.clock() })
  const gateway = openGateway({ openEngine: () => engine, ids }, { providers: [provider], route: { channel: 'email' } })
  const { deps, submit, clock } = gateway
  const { suppressions } = engine
  return {
    ...gateway,
    engine,
    provider,
    suppressions,
    deps: { ...deps, suppressions },
    send: () => submit(MAIL_SUBMISSION),
    /** The suppression of an address that is in force now. */
    suppressionOf: async (address: EmailAddress): Promise<Suppression | undefined> =>
      (await suppressions.find(TENANT, [address.toLowerCase() as EmailAddress], clock()))[0],
  }
}
