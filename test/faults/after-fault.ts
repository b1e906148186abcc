/** Waits after a fault until every message has ended, then checks and counts. */
import type { MessageDetails } from '../../src/api/messages/message-schemas.ts'
import { countUnknown, problemsOfKeys, problemsOfMessage, problemsOfReceptions } from '../e2e/kill-checks.ts'
import type { Gateway } from '../support/gateway.ts'
import { mapInBatches } from '../support/map-in-batches.ts'
import { post, untilIndexed } from '../support/sms.ts'
import { until } from '../support/until.ts'
import { problemsOfAttempts } from './attempt-checks.ts'
import type { SteadyLoad, TimedMessage } from './load.ts'
import { receptionsAt, type Site } from './site.ts'

/** `problems` is empty on success; `figures` summarizes the run, `slowest` is the timeline of the slowest message. */
export type Verdict = Readonly<{
  problems: readonly string[]
  figures: Readonly<Record<string, number>>
  slowest: string
}>

/** Job redelivery, recovery of an attempt and a receipt each take time, and may follow one another. */
const OVER_WITHIN_MS = 120_000
const OVER = new Set(['delivered', 'failed', 'expired'])
const INDEXED_WITHIN = { withinMs: 120_000, everyMs: 100 }
/** The number of keys to repeat at the end. */
const REPLAYS = 200

export async function checkAfterFault(
  site: Site,
  load: SteadyLoad,
): Promise<Verdict & Readonly<{ messages: readonly MessageDetails[] }>> {
  const { accepted, unexpected } = load
  const [found, index] = await Promise.all([untilOver(site.apis, accepted), untilCaughtUp(site)])
  const messages = [...found.values()]
  const some = accepted.filter((_, index) => index % Math.ceil(accepted.length / REPLAYS) === 0)
  const replays = await mapInBatches(some, (message) => problemsOfReplay(site.apis[0], message))
  const receptions = await receptionsAt(site)
  for (const { id } of accepted) site.earlier.add(id)
  const ended = site.cluster.members.filter((member) => member.hasEnded())
  const problems = [
    ...unexpected,
    ...ended.map((member) => `${member.name} has ended: ${member.err().slice(-500)}`),
    ...problemsOfKeys(accepted),
    ...replays.flat(),
    ...index.problems,
    ...(await untilCaughtUp(site)).problems,
    ...accepted.flatMap((message) => problemsOfMessage(message, found.get(message.id), [])),
    ...problemsOfReceptions(receptions, messages),
    ...problemsOfAttempts(accepted, found, receptions),
  ]
  const duplicates = receptions.length - new Set(receptions.map(({ messageId }) => messageId)).size
  const lag = { 'index caught up after, ms': index.tookMs }
  const figures = { ...toFigures(load, messages), ...lag, duplicates, lost: accepted.length - found.size }
  const [slowest] = messages.toSorted((one, other) => lifeOf(other) - lifeOf(one))
  return { problems, figures, messages, slowest: slowest === undefined ? 'none' : describeTimeline(slowest) }
}

/** Waits for the index to catch up with the log. */
async function untilCaughtUp({ apis }: Site): Promise<Readonly<{ problems: readonly string[]; tookMs: number }>> {
  const began = performance.now()
  const problems = await untilIndexed(apis[0], INDEXED_WITHIN).then(
    () => [],
    (error: unknown) => [String(error)],
  )
  return { problems, tookMs: Math.round(performance.now() - began) }
}

/** The messages when all have ended, or at the deadline. */
async function untilOver(
  apis: Site['apis'],
  accepted: readonly TimedMessage[],
): Promise<ReadonlyMap<string, MessageDetails>> {
  const found = new Map<string, MessageDetails>()
  let left = accepted
  const areOver = async (): Promise<boolean> => {
    await mapInBatches(left, async ({ id }) => {
      const answer = await apis[0].call<MessageDetails>('GET', `/v1/messages/${id}`).catch(() => undefined)
      if (answer?.status === 200) found.set(id, answer.body)
    })
    left = left.filter(({ id }) => !OVER.has(found.get(id)?.status ?? ''))
    return left.length === 0
  }
  // Messages that have not ended are reported individually.
  await until('all messages to end', areOver, { withinMs: OVER_WITHIN_MS, everyMs: 500 }).catch(() => undefined)
  return found
}

/** The same key returns the same message at every API process, at any time. */
async function problemsOfReplay(gateway: Gateway, { sms, id, answer }: TimedMessage): Promise<string[]> {
  const { status, text, headers } = await post(gateway, sms)
  if (status === 202 && text === answer && headers.get('idempotent-replayed') === 'true') return []
  return [`${sms.idempotency_key}, which is ${id}, was answered ${answer} and at the end ${status} ${text}`]
}

function toFigures(load: SteadyLoad, messages: readonly MessageDetails[]): Record<string, number> {
  const { accepted, slowestAnswerMs } = load
  const countOf = (status: MessageDetails['status']) => messages.filter((message) => message.status === status).length
  return {
    accepted: accepted.length,
    delivered: countOf('delivered'),
    failed: countOf('failed'),
    dead: messages.filter(({ dead_letter: dead }) => dead).length,
    ...countUnknown(messages),
    'answered 503': load.failuresOf('unavailable').length,
    'connections refused': load.failuresOf('refused').length,
    'connections broken': load.failuresOf('broken').length,
    'keys retried': accepted.filter(({ tries }) => tries > 1).length,
    'of them stored before the answer was lost': accepted.filter(({ replayed }) => replayed).length,
    'slowest answer, ms': Math.round(slowestAnswerMs),
    'longest without a 202, ms': longestGap(accepted),
    'longest from first try to 202, ms': Math.max(
      0,
      ...accepted.map((message) => message.answeredAt - message.firstTriedAt),
    ),
    'longest from accept to end, ms': Math.max(0, ...messages.map(lifeOf)),
  }
}

function longestGap(accepted: readonly TimedMessage[]): number {
  const times = accepted.map(({ answeredAt }) => answeredAt).toSorted((one, other) => one - other)
  return Math.max(0, ...times.slice(1).map((at, index) => at - (times[index] ?? at)))
}

/** From creation to the first final event. */
function lifeOf({ created_at: createdAt, events }: MessageDetails): number {
  const end = events.find(({ payload }) => OVER.has(payload.status))
  return end === undefined ? 0 : Date.parse(end.at) - Date.parse(createdAt)
}

/** Its events with the milliseconds since creation. */
function describeTimeline({ id, created_at: createdAt, events }: MessageDetails): string {
  const described = events.map(({ event_type: kind, at }) => `${kind} +${Date.parse(at) - Date.parse(createdAt)}`)
  return `${id} of ${createdAt}: ${described.join(', ')}`
}
