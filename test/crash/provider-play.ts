/**
 * Plays one case: a process hands a message to a provider and dies where the case says so, its leases run
 * out, and another process with the same log takes over, until the message rests.
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
import type { Outside } from './provider-outside.ts'
import { type Learnt, Mortal, type Scene } from './provider-process.ts'
import type { Case, Crash } from './provider-table.ts'

/** Everything there is to say about a case that has been played. */
export type Played = Readonly<{
  /** What no event may tell. */
  secrets: readonly string[]
  events: readonly MessageEvent[]
  state: MessageState
  learnt: readonly Learnt[]
  /** The attempts that the provider took. */
  taken: readonly number[]
  /** What it reported in the end. */
  reports: readonly Receipt[]
  heard: number | undefined
}>

const ids = openIds()
const LEASE = seconds(30)
export const RETRY = { delays: [seconds(2), seconds(4)], maxAttempts: 4, jitter: 0 }
const UNKNOWN_WAIT = seconds(5)
/** Of letters that no id is written in, so that none has it by chance. */
const CODE = 'KQXWVT'
const TURN = seconds(3)
/** Longer than all waits together: what does not rest by then never will. */
const MOST_TURNS = 30

export async function play(outside: Outside, given: Case): Promise<Played> {
  const { clock, pass } = toTurnable(instant(Date.now()))
  const engine = openMemoryEngine({ clock, lease: LEASE })
  await using opened = new AsyncDisposableStack()
  const hear = async (receipt: Receipt): Promise<void> => {
    await applyReceipt({ log: engine.log, clock, ids }, receipt)
  }
  const connect = (sends: boolean): Provider => opened.use(outside.connect({ sends, report: hear }))
  const webhook = connect(false)
  const learnt: Learnt[] = []
  const { channel } = outside.content
  const { policy } = given
  const open = (owner: string, dies: Crash): Process =>
    openProcess({ engine, clock, owner, policy, channel }, opened.use(new Mortal(dies, scene)), connect(true))

  async function report(): Promise<readonly Receipt[]> {
    const reports = await outside.reports(await first.gateway.stateOf(id), webhook)
    for (const receipt of reports) await hear(receipt)
    return reports
  }

  const scene: Scene = { given, outside, learnt, report }
  const first = open('first', given.crash)
  const { secrets, ...sent } = toSecret(outside.content)
  const id = await first.gateway.submit({ tenantId: ids.messageId(clock()) as string as TenantId, ...sent })
  const heir = given.crash === 'never' ? first.gateway : await outlive(first, () => open('second', 'never').gateway)
  // In the end nobody waits for calls that are not answered.
  opened.defer(() => outside.processDied?.())

  await rest(heir, id, pass)
  await report()
  await rest(heir, id, pass)
  // Once more: what comes twice is told once.
  const reports = await report()
  const state = await heir.stateOf(id)
  const [events, taken] = await Promise.all([heir.eventsOf(id), outside.taken(state)])
  return { secrets, learnt, taken, reports, events, state, heard: outside.heard?.() }
}

type Secret = Readonly<{ content: Content; form: Form; secrets: readonly string[] }>

/** With a code in it. What no event may tell is that, and whom it is for. */
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

type Opening = Readonly<{
  engine: MemoryEngine
  clock: Clock
  owner: string
  policy: UnknownPolicy
  channel: Content['channel']
}>
type Process = Readonly<{ mortal: Mortal; gateway: Gateway }>

function openProcess(opening: Opening, mortal: Mortal, provider: Provider): Process {
  const { engine, clock, owner, policy, channel } = opening
  const own = { ...engine, log: mortal.log(engine.log), queue: mortal.queue(engine.queue) }
  const gateway = openGateway(
    { openEngine: () => own, ids },
    {
      providers: [mortal.provider(provider)],
      route: { channel, retry: RETRY, unknown: { wait: UNKNOWN_WAIT, policy } },
      worker: { owner, lease: LEASE, alone: false },
      deps: { clock, timeout: LEASE },
    },
  )
  return { mortal, gateway }
}

/** Waits for the end of a process that must come, and opens the one that is there after it. */
async function outlive({ mortal, gateway }: Process, open: () => Gateway): Promise<Gateway> {
  const how = await Promise.race([mortal.died, gateway.work()])
  if (how !== 'died') throw new Error('the process was to die, and went on')
  return open()
}

/** Works on, and repairs, until no more is to be done but to wait for reports or a person. */
async function rest(gateway: Gateway, id: MessageId, pass: (by: Millis) => void): Promise<void> {
  const { index, queue, deps, work, project, stateOf } = gateway
  for (let turn = 0; turn < MOST_TURNS; turn += 1) {
    while ((await work()) !== undefined);
    if (isHandoffOver((await stateOf(id)).handoffState)) return
    await project()
    await new Recovery({ index, queue, clock: deps.clock }, LEASE).round()
    pass(TURN)
  }
}

function toTurnable(start: Instant): Readonly<{ clock: Clock; pass: (by: Millis) => void }> {
  let now = start
  return {
    clock: () => now,
    pass: (by) => {
      now = later(now, by)
    },
  }
}
