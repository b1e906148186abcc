/**
 * Runs one case: a process hands a message to a provider and crashes at the given point, its leases expire, and another
 * process with the same log takes over until the message is settled.
 */

import type { MessageId, TenantId } from '../../src/domain/ids.ts'
import type { MessageEvent } from '../../src/domain/message/events.ts'
import { type Content, type Form, MAIL } from '../../src/domain/message/message.ts'
import type { MessageState } from '../../src/domain/message/state.ts'
import { isHandoffOver } from '../../src/domain/message/states.ts'
import type { UnknownPolicy } from '../../src/domain/routing/unknown.ts'
import { openIds } from '../../src/engines/crypto/ids.ts'
import { type Gateway, openGateway, SUBMISSION } from '../../src/flows/gateway.fixture.ts'
import { applyReceipt } from '../../src/flows/receive/apply-receipt.ts'
import { Recovery } from '../../src/flows/send/recover.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { type Instant, instant, later, type Millis, seconds } from '../../src/lib/time.ts'
import type { Provider, Receipt } from '../../src/ports/provider.ts'
import { type MemoryEngine, openMemoryEngine } from '../memory/memory.ts'
import type { Case, Crash } from './provider-cases.ts'
import type { ExternalProvider } from './provider-external.ts'
import { type CallRecord, type CrashContext, CrashingProcess } from './provider-process.ts'

/** What the invariants need to know about a case. */
export type CaseResult = Readonly<{
  /** Values that no event may contain. */
  secrets: readonly string[]
  events: readonly MessageEvent[]
  state: MessageState
  calls: readonly CallRecord[]
  /** The attempts that the provider accepted. */
  acceptedAttempts: readonly number[]
  /** The receipts at the end. */
  reports: readonly Receipt[]
  requestCount: number | undefined
}>

const ids = openIds()
const LEASE = seconds(30)
export const RETRY = { delays: [seconds(2), seconds(4)], maxAttempts: 4, jitter: 0 }
const UNKNOWN_WAIT = seconds(5)
/** Uses letters that no id contains, so that no id contains it by accident. */
const CODE = 'KQXWVT'
const ROUND = seconds(3)
/** More than all delays together: a message that is not settled by then never will be. */
const MAX_ROUNDS = 30

export async function runCase(external: ExternalProvider, given: Case): Promise<CaseResult> {
  const { clock, advance } = toManualClock(instant(Date.now()))
  const engine = openMemoryEngine({ clock, lease: LEASE })
  await using opened = new AsyncDisposableStack()
  const applyReport = async (receipt: Receipt): Promise<void> => {
    await applyReceipt({ log: engine.log, clock, ids }, receipt)
  }
  const connect = (sends: boolean): Provider => opened.use(external.connect({ sends, report: applyReport }))
  const callbackReader = connect(false)
  const calls: CallRecord[] = []
  const { channel } = external.content
  const { policy } = given
  const open = (owner: string, dies: Crash): Process =>
    openProcess(
      { engine, clock, owner, policy, channel },
      opened.use(new CrashingProcess(dies, context)),
      connect(true),
    )

  async function report(): Promise<readonly Receipt[]> {
    const reports = await external.reports(await first.gateway.stateOf(id), callbackReader)
    for (const receipt of reports) await applyReport(receipt)
    return reports
  }

  const context: CrashContext = { given, external, calls, report }
  const first = open('first', given.crash)
  const { secrets, ...sent } = toSecret(external.content)
  const id = await first.gateway.submit({ tenantId: ids.messageId(clock()) as string as TenantId, ...sent })
  const successor =
    given.crash === 'never' ? first.gateway : await takeOver(first, () => open('second', 'never').gateway)
  // Ends calls that are never answered.
  opened.defer(() => external.processDied?.())

  await settle(successor, id, advance)
  await report()
  await settle(successor, id, advance)
  // Reports again: a repeated receipt must have no effect.
  const reports = await report()
  const state = await successor.stateOf(id)
  const [events, acceptedAttempts] = await Promise.all([successor.eventsOf(id), external.acceptedAttempts(state)])
  return { secrets, calls, acceptedAttempts, reports, events, state, requestCount: external.requestCount?.() }
}

type Secret = Readonly<{ content: Content; form: Form; secrets: readonly string[] }>

/** Puts a code into the text. No event may contain the code or the recipient. */
function toSecret(content: Content): Secret {
  const text = `Your code is ${CODE}.`
  if (content.channel === 'sms') {
    const { to } = content
    return { content: { ...content, body: text }, form: SUBMISSION.form, secrets: [CODE, to, to.slice(1)] }
  }
  const { to } = content
  const texts = { subject: text, html: `<p>${text}</p>`, text }
  return { content: { ...content, ...texts }, form: MAIL, secrets: [CODE, to, to.slice(0, to.lastIndexOf('@'))] }
}

type ProcessOptions = Readonly<{
  engine: MemoryEngine
  clock: Clock
  owner: string
  policy: UnknownPolicy
  channel: Content['channel']
}>
type Process = Readonly<{ process: CrashingProcess; gateway: Gateway }>

function openProcess(options: ProcessOptions, process: CrashingProcess, provider: Provider): Process {
  const { engine, clock, owner, policy, channel } = options
  const own = { ...engine, log: process.log(engine.log), queue: process.queue(engine.queue) }
  const gateway = openGateway(
    { openEngine: () => own, ids },
    {
      providers: [process.provider(provider)],
      route: { channel, retry: RETRY, unknown: { wait: UNKNOWN_WAIT, policy } },
      worker: { owner, lease: LEASE, alone: false },
      deps: { clock, timeout: LEASE },
    },
  )
  return { process, gateway }
}

/** Waits for the crash of a process, and opens its successor. */
async function takeOver({ process, gateway }: Process, open: () => Gateway): Promise<Gateway> {
  const how = await Promise.race([process.died, gateway.work()])
  if (how !== 'died') throw new Error('the process did not crash')
  return open()
}

/** Works and recovers until only a receipt or a person can change the message. */
async function settle(gateway: Gateway, id: MessageId, advance: (by: Millis) => void): Promise<void> {
  const { index, queue, deps, work, project, stateOf } = gateway
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    while ((await work()) !== undefined);
    if (isHandoffOver((await stateOf(id)).handoffState)) return
    await project()
    await new Recovery({ index, queue, clock: deps.clock }, LEASE).round()
    advance(ROUND)
  }
}

function toManualClock(start: Instant): Readonly<{ clock: Clock; advance: (by: Millis) => void }> {
  let now = start
  return {
    clock: () => now,
    advance: (by) => {
      now = later(now, by)
    },
  }
}
