/** The magic recipients: how a simulated handset or mailbox behaves, by its address and the number of the attempt. */
import { type Millis, millis } from '../../lib/time.ts'
import type { Receipt } from '../../ports/provider.ts'

export type Report = Readonly<Pick<Receipt, 'state' | 'code' | 'detail' | 'suppresses'>>

export type Behaviour =
  | Readonly<{ kind: 'refuse'; code: string; detail: string }>
  /** Fails the first `times` attempts of a message, then delivers. */
  | Readonly<{ kind: 'fail'; times: number }>
  /** Reports `early` before the call is answered, `reports` after the receipt delay, and `afterwards` after another. */
  | Readonly<{
      kind: 'receive'
      call: Call
      early: readonly Report[]
      reports: readonly Report[]
      afterwards: readonly Report[]
    }>

/** A `slow` call receives the message at its end; a call in `limbo` receives it and then times out. */
export type Call = 'prompt' | 'slow' | 'limbo'

export type Reception = Extract<Behaviour, { kind: 'receive' }>

/** Durations. `receiptDelay` counts from the reception, `limbo` until the call times out. */
export type Pace = Readonly<{ latency: Millis; receiptDelay: Millis; slow: Millis; limbo: Millis }>

const ACCEPTED: Report = { state: 'accepted' }
const DELIVERED: Report = { state: 'delivered' }
const BOUNCES = 'the simulated recipient bounces every message'
const BOUNCED: Report = { state: 'bounced', code: 'UNREACHABLE', detail: BOUNCES }
const MAIL_BOUNCED: Report = { state: 'bounced', code: 'HARD_BOUNCE', detail: BOUNCES, suppresses: 'hard_bounce' }
const COMPLAINED: Report = {
  state: 'complaint',
  code: 'COMPLAINT',
  detail: 'the simulated recipient complains about every email',
  suppresses: 'complaint',
}

const refuse = (code: string, detail: string): Behaviour => ({ kind: 'refuse', code, detail })
const fail = (times: number): Behaviour => ({ kind: 'fail', times })
const receive = (reports: readonly Report[], more: Partial<Omit<Reception, 'kind' | 'reports'>> = {}): Behaviour => ({
  kind: 'receive',
  call: 'prompt',
  early: [],
  reports,
  afterwards: [],
  ...more,
})

const INVALID = 'the simulated recipient does not exist'
const BLOCKED = 'the simulated recipient is blocked'
const DELIVERS = receive([DELIVERED])

/** Phone `+1500555…`, mailbox `…@sim.pombo.test`, behaviour, and the mailbox's behaviour if it differs. */
const TABLE: readonly (readonly [string, string, Behaviour, Behaviour?])[] = [
  ['0001', 'invalid', refuse('INVALID_NUMBER', INVALID), refuse('INVALID_EMAIL', INVALID)],
  ['0002', 'blocked', refuse('NUMBER_BLOCKED', BLOCKED), refuse('RECIPIENT_BLOCKED', BLOCKED)],
  ['0003', 'flaky', fail(2)],
  ['0004', 'down', fail(Number.POSITIVE_INFINITY)],
  ['0005', 'limbo', receive([DELIVERED], { call: 'limbo' })],
  ['0006', 'silent', receive([])],
  ['0007', 'bounce', receive([BOUNCED]), receive([MAIL_BOUNCED])],
  ['0008', 'noisy', receive([ACCEPTED, DELIVERED, ACCEPTED], { early: [DELIVERED] })],
  ['0009', 'slow', receive([DELIVERED], { call: 'slow' })],
]

/** Email only. */
const COMPLAINT = receive([DELIVERED], { afterwards: [COMPLAINED] })

const PHONES = new Map(TABLE.map(([phone, , behaviour]) => [`+1500555${phone}`, behaviour]))
const MAILBOXES = new Map([
  ...TABLE.map(([, mailbox, behaviour, ofMailbox = behaviour]) => [mailbox, ofMailbox] as const),
  ['complaint', COMPLAINT],
])

/** A `+tag` is ignored, so that tests have a fresh address after one was suppressed. */
const MAGIC_MAILBOX = /^([a-z]+)(?:\+.*)?@sim\.pombo\.test$/i

function magicOf(to: string): Behaviour | undefined {
  if (to.startsWith('+')) return PHONES.get(to)
  const [, name = ''] = MAGIC_MAILBOX.exec(to) ?? []
  return MAILBOXES.get(name.toLowerCase())
}

/** `attempt` is the number of this attempt at the message, from 1. */
export function behaviourOf(to: string, attempt: number): Behaviour {
  const behaviour = magicOf(to) ?? DELIVERS
  return behaviour.kind === 'fail' && attempt > behaviour.times ? DELIVERS : behaviour
}

/** How long a call takes before the message is received. */
export const waitBefore = (behaviour: Behaviour, { latency, slow }: Pace): Millis =>
  behaviour.kind === 'receive' && behaviour.call === 'slow' ? millis(latency + slow) : latency

/** How long after the reception its reports are due; for a call in limbo, well after its timeout. */
export const reportsAfter = ({ call }: Reception, { receiptDelay, limbo }: Pace): Millis =>
  call === 'limbo' ? millis(limbo + 5 * receiptDelay) : receiptDelay

/** The reports after the answer, each with its delay from the reception. */
export function reportsOf(reception: Reception, pace: Pace): readonly (readonly [after: Millis, report: Report])[] {
  const after = reportsAfter(reception, pace)
  const afterwards = millis(after + pace.receiptDelay)
  return [
    ...reception.reports.map((report) => [after, report] as const),
    ...reception.afterwards.map((report) => [afterwards, report] as const),
  ]
}

/** What a lookup finds so long after the reception. */
export function reportAfter(reception: Reception, elapsed: number, pace: Pace): Report {
  const due = reportsOf(reception, pace).flatMap(([after, report]) => (after <= elapsed ? [report] : []))
  return [...reception.early, ...due].findLast(({ state }) => state !== 'accepted') ?? ACCEPTED
}
