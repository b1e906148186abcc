/**
 * How the simulated handset or mailbox of a recipient behaves: the table of magic recipients, and
 * what follows from it. The same recipient and attempt always behave alike.
 */
import { type Millis, millis } from '../../domain/time.ts'
import type { Receipt } from '../../ports/provider.ts'

export type Report = Readonly<Pick<Receipt, 'state' | 'code' | 'detail'>>

export type Behaviour =
  | Readonly<{ kind: 'refuse'; code: string; detail: string }>
  /** Is out of service for the first `times` attempts of a message, and delivers after that. */
  | Readonly<{ kind: 'fail'; times: number }>
  /** Receives the message, reports `early` before the call is answered, and `reports` when they are due. */
  | Readonly<{ kind: 'receive'; call: Call; early: readonly Report[]; reports: readonly Report[] }>

/** A `slow` call receives the message only at its end; one in `limbo` receives it and then times out. */
export type Call = 'prompt' | 'slow' | 'limbo'

export type Reception = Extract<Behaviour, { kind: 'receive' }>

/** How long everything takes. `receiptDelay` counts from the reception, `limbo` until the call times out. */
export type Pace = Readonly<{ latency: Millis; receiptDelay: Millis; slow: Millis; limbo: Millis }>

const ACCEPTED: Report = { state: 'accepted' }
const DELIVERED: Report = { state: 'delivered' }
const BOUNCED: Report = { state: 'bounced', code: 'UNREACHABLE', detail: 'the simulated recipient bounces everything' }

const refuse = (code: string, detail: string): Behaviour => ({ kind: 'refuse', code, detail })
const fail = (times: number): Behaviour => ({ kind: 'fail', times })
const receive = (reports: readonly Report[], call: Call = 'prompt', early: readonly Report[] = []): Behaviour => ({
  kind: 'receive',
  call,
  early,
  reports,
})

const INVALID = 'the simulated recipient does not exist'
const BLOCKED = 'the simulated recipient is blocked'
const DELIVERS = receive([DELIVERED])

/** Phone `+1500555…`, mailbox `…@sim.pombo.test`, behaviour, and that of the mailbox where it differs. */
const TABLE: readonly (readonly [string, string, Behaviour, Behaviour?])[] = [
  ['0001', 'invalid', refuse('INVALID_NUMBER', INVALID), refuse('INVALID_EMAIL', INVALID)],
  ['0002', 'blocked', refuse('NUMBER_BLOCKED', BLOCKED), refuse('RECIPIENT_BLOCKED', BLOCKED)],
  ['0003', 'flaky', fail(2)],
  ['0004', 'down', fail(Number.POSITIVE_INFINITY)],
  ['0005', 'limbo', receive([DELIVERED], 'limbo')],
  ['0006', 'silent', receive([])],
  ['0007', 'bounce', receive([BOUNCED])],
  ['0008', 'noisy', receive([ACCEPTED, DELIVERED, ACCEPTED], 'prompt', [DELIVERED])],
  ['0009', 'slow', receive([DELIVERED], 'slow')],
]

const MAGIC = new Map<string, Behaviour>(
  TABLE.flatMap(([phone, mailbox, behaviour, ofMailbox = behaviour]) => [
    [`+1500555${phone}`, behaviour],
    [`${mailbox}@sim.pombo.test`, ofMailbox],
  ]),
)

/** `attempt` is the number of this attempt at the message, from 1. */
export function behaviourOf(to: string, attempt: number): Behaviour {
  const behaviour = MAGIC.get(to) ?? DELIVERS
  return behaviour.kind === 'fail' && attempt > behaviour.times ? DELIVERS : behaviour
}

/** How long a call takes before anything is received. */
export const waitBefore = (behaviour: Behaviour, { latency, slow }: Pace): Millis =>
  behaviour.kind === 'receive' && behaviour.call === 'slow' ? millis(latency + slow) : latency

/** How long after the reception its reports are due: after a call in limbo has clearly timed out. */
export const reportsAfter = ({ call }: Reception, { receiptDelay, limbo }: Pace): Millis =>
  call === 'limbo' ? millis(limbo + 2 * receiptDelay) : receiptDelay

/** What is known of a message so long after its reception, to one who asks. */
export function reportAfter(reception: Reception, elapsed: number, pace: Pace): Report {
  const known = elapsed < reportsAfter(reception, pace) ? reception.early : reception.reports
  return known.find(({ state }) => state !== 'accepted') ?? ACCEPTED
}
