/** Shared by the simulator's tests: a simulator on a temporary file, attempts, and a recorder of its reports. */
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { EmailAddress } from '../../domain/email/address.ts'
import type { AttemptId, MessageId, TenantId, TraceId } from '../../domain/ids.ts'
import type { EmailContent, SmsContent } from '../../domain/message/message.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import type { Clock } from '../../lib/clock.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { instant, millis } from '../../lib/time.ts'
import type { EmailAttempt, Receipt, SmsAttempt } from '../../ports/provider.ts'
import { openSimulator, type Simulator, type SimulatorOptions } from './simulator.ts'

export const TENANT = 'acme' as TenantId
export const NEVER_ABORTED = new AbortController().signal
const QUICK = { receiptDelay: millis(20), limbo: millis(30), slow: millis(30) }
export const clock: Clock = () => instant(Date.now())

/** Records reports, and fails as often as `state.failures` says. */
function recorder() {
  const calls: (readonly Receipt[])[] = []
  const waiting = new Set<() => void>()
  const state = { failures: 0 }
  const until = async (done: () => boolean): Promise<void> => {
    while (!done()) await new Promise<void>((resolve) => waiting.add(resolve))
  }
  const receipts = (): readonly Receipt[] => calls.flat()
  return {
    calls,
    state,
    receipts,
    states: () => receipts().map((receipt) => receipt.state),
    async report(given: readonly Receipt[]) {
      calls.push(given)
      for (const wake of waiting) wake()
      waiting.clear()
      if (state.failures-- > 0) throw new Error('the log is unavailable')
    },
    has: (count: number) => until(() => receipts().length >= count),
    called: (times: number) => until(() => calls.length >= times),
  }
}

export async function newPath(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pombo-simulator-'))
  t.after(() => rm(folder, { recursive: true }))
  return join(folder, 'simulator.db')
}

export async function setUp(t: TestContext, options: Partial<SimulatorOptions> = {}) {
  const { report, ...recorded } = recorder()
  const path = options.path ?? (await newPath(t))
  const simulator = await openSimulator({ path, clock, report, ...QUICK, ...options })
  t.after(() => simulator[Symbol.asyncDispose]())
  return { simulator, path, ...recorded }
}

let made = 0
function nextAttempt(attempt: number) {
  made += 1
  return {
    id: createHash('sha256').update(`${made}`).digest('hex') as AttemptId,
    ref: { messageId: `message-${made}` as MessageId, cycle: 1, attempt },
    tenantId: TENANT,
    traceId: '' as TraceId,
  }
}

export function attemptTo(to: string, given: Partial<SmsAttempt> & { attempt?: number } = {}): SmsAttempt {
  const { attempt = 1, ...rest } = given
  const next = nextAttempt(attempt)
  const content = { channel: 'sms', kind: 'sms', to, body: `hello ${made}`, metadata: {}, tags: [] }
  return { channel: 'sms', ...next, content: content as unknown as SmsContent, encoding: 'gsm7', segments: 1, ...rest }
}

export function mailTo(to: string, more: Partial<EmailContent> = {}, attempt = 1): EmailAttempt {
  const next = nextAttempt(attempt)
  const own = { channel: 'email', kind: 'email', to: to as EmailAddress, metadata: {}, tags: [] } as const
  const content: EmailContent = { ...own, subject: `Hello ${made}`, html: `<p>Hello <b>${made}</b></p>`, ...more }
  return { channel: 'email', ...next, content }
}

export const received = async (simulator: Simulator, to?: string): Promise<readonly string[]> =>
  (await simulator.inbox(omitUndefined({ tenantId: TENANT, limit: 10_000, to }))).map(({ attemptId }) => attemptId)
export function summary(outcome: SendOutcome): string {
  if (outcome.kind === 'accepted') return outcome.kind
  const ofRecipient = outcome.kind === 'deferred' && outcome.blame === 'recipient' ? ' of the recipient' : ''
  return `${outcome.kind} ${outcome.code}${ofRecipient}`
}
