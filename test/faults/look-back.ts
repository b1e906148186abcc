/** After the fault: waits until every message has come to its end, asks everybody, and counts. */
import type { MessageDetails } from '../../src/api/messages/message-schemas.ts'
import { countUnknown, problemsOfKeys, problemsOfMessage, problemsOfReceptions } from '../e2e/kill-checks.ts'
import type { Gateway } from '../support/gateway.ts'
import { inFlight } from '../support/in-hands.ts'
import { post, untilIndexed } from '../support/sms.ts'
import { until } from '../support/until.ts'
import { problemsOfHonesty } from './honesty.ts'
import type { Kept, SteadyLoad } from './load.ts'
import { receptionsAt, type Site } from './site.ts'

/** `problems` is empty when all is well; `figures` is what to tell of the run, `slowest` the story of the message that took longest. */
export type Verdict = Readonly<{
  problems: readonly string[]
  figures: Readonly<Record<string, number>>
  slowest: string
}>

/** A job comes back, an attempt is given up, a receipt is paid: each takes its time, and they may follow one another. */
const OVER_WITHIN_MS = 120_000
const OVER = new Set(['delivered', 'failed', 'expired'])
const INDEXED_WITHIN = { withinMs: 120_000, everyMs: 100 }
/** So many keys are used once more in the end. */
const REPLAYS = 200

export async function lookBack(
  site: Site,
  load: SteadyLoad,
): Promise<Verdict & Readonly<{ messages: readonly MessageDetails[] }>> {
  const { promised, complaints } = load
  const [found, index] = await Promise.all([untilOver(site.apis, promised), untilLevel(site)])
  const messages = [...found.values()]
  const some = promised.filter((_, place) => place % Math.ceil(promised.length / REPLAYS) === 0)
  const replays = await inFlight(some, (kept) => problemsOfReplay(site.apis[0], kept))
  const receptions = await receptionsAt(site)
  for (const { id } of promised) site.earlier.add(id)
  const ended = site.cluster.members.filter((member) => member.hasEnded())
  const problems = [
    ...complaints,
    ...ended.map((member) => `${member.name} has ended: ${member.err().slice(-500)}`),
    ...problemsOfKeys(promised),
    ...replays.flat(),
    ...index.problems,
    ...(await untilLevel(site)).problems,
    ...promised.flatMap((kept) => problemsOfMessage(kept, found.get(kept.id), [])),
    ...problemsOfReceptions(receptions, messages),
    ...problemsOfHonesty(promised, found, receptions),
  ]
  const doubled = receptions.length - new Set(receptions.map(({ messageId }) => messageId)).size
  const level = { 'index level with the log after, ms': index.tookMs }
  const figures = { ...toFigures(load, messages), ...level, doubled, lost: promised.length - found.size }
  const [slowest] = messages.toSorted((one, other) => lifeOf(other) - lifeOf(one))
  return { problems, figures, messages, slowest: slowest === undefined ? 'none' : toStory(slowest) }
}

/** Waits for the index to catch up with the log. */
async function untilLevel({ apis }: Site): Promise<Readonly<{ problems: readonly string[]; tookMs: number }>> {
  const began = performance.now()
  const problems = await untilIndexed(apis[0], INDEXED_WITHIN).then(
    () => [],
    (error: unknown) => [String(error)],
  )
  return { problems, tookMs: Math.round(performance.now() - began) }
}

/** The messages as they are in the end, or at the end of our patience. */
async function untilOver(apis: Site['apis'], promised: readonly Kept[]): Promise<ReadonlyMap<string, MessageDetails>> {
  const found = new Map<string, MessageDetails>()
  let left = promised
  const areOver = async (): Promise<boolean> => {
    await inFlight(left, async ({ id }) => {
      const answer = await apis[0].call<MessageDetails>('GET', `/v1/messages/${id}`).catch(() => undefined)
      if (answer?.status === 200) found.set(id, answer.body)
    })
    left = left.filter(({ id }) => !OVER.has(found.get(id)?.status ?? ''))
    return left.length === 0
  }
  // Whatever is not over then is told of one by one.
  await until('the end', areOver, { withinMs: OVER_WITHIN_MS, everyMs: 500 }).catch(() => undefined)
  return found
}

/** One message for each key, whoever is asked and however late. */
async function problemsOfReplay(gateway: Gateway, { sms, id, answer }: Kept): Promise<string[]> {
  const { status, text, headers } = await post(gateway, sms)
  if (status === 202 && text === answer && headers.get('idempotent-replayed') === 'true') return []
  return [`${sms.idempotency_key}, which is ${id}, was answered ${answer} and in the end ${status} ${text}`]
}

function toFigures(load: SteadyLoad, messages: readonly MessageDetails[]): Record<string, number> {
  const { promised, slowestAnswerMs } = load
  const being = (status: MessageDetails['status']) => messages.filter((message) => message.status === status).length
  return {
    accepted: promised.length,
    delivered: being('delivered'),
    failed: being('failed'),
    dead: messages.filter(({ dead_letter: dead }) => dead).length,
    ...countUnknown(messages),
    'answered 503': load.setbacksOf('unavailable').length,
    'connections refused': load.setbacksOf('refused').length,
    'connections broken': load.setbacksOf('broken').length,
    'keys retried': promised.filter(({ tries }) => tries > 1).length,
    'of them stored before the answer was lost': promised.filter(({ replayed }) => replayed).length,
    'slowest answer, ms': Math.round(slowestAnswerMs),
    'longest without a 202, ms': longestGap(promised),
    'longest from first try to 202, ms': Math.max(0, ...promised.map((kept) => kept.answeredAt - kept.firstTriedAt)),
    'longest from accept to end, ms': Math.max(0, ...messages.map(lifeOf)),
  }
}

function longestGap(promised: readonly Kept[]): number {
  const times = promised.map(({ answeredAt }) => answeredAt).toSorted((one, other) => one - other)
  return Math.max(0, ...times.slice(1).map((at, place) => at - (times[place] ?? at)))
}

/** From its first event to the first that ends it. */
function lifeOf({ created_at: createdAt, events }: MessageDetails): number {
  const end = events.find(({ payload }) => OVER.has(payload.status))
  return end === undefined ? 0 : Date.parse(end.at) - Date.parse(createdAt)
}

/** Its events, each with the milliseconds since the first. */
function toStory({ id, created_at: createdAt, events }: MessageDetails): string {
  const told = events.map(({ event_type: kind, at }) => `${kind} +${Date.parse(at) - Date.parse(createdAt)}`)
  return `${id} of ${createdAt}: ${told.join(', ')}`
}
