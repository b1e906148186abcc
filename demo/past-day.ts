/**
 * The day before the demo. Every run has the same, except that it ends now: quiet half a day ago and busy at its end, with
 * a campaign, two storms, and a provider that fails often.
 */
import type { Past } from '../bench/stored/past.ts'
import type { AccountId, TenantId, TraceId } from '../src/domain/ids.ts'
import { type Instant, instant, later } from '../src/lib/time.ts'
import type { Dice } from '../src/ports/world.ts'
import { seededRandom } from '../test/support/random.ts'
import { happenedOn } from './fates.ts'
import { ALL_DAY, alert, type Kind, offer } from './past-messages.ts'
import { draw, randomBelow, type Weighted } from './random.ts'

const SEED = 20_300_131
const MINUTE = 60_000
const MINUTES = 24 * 60

export const MAIN_TENANT = 'acme'
export const OTHER_TENANTS = ['bluebird', 'harbour'] as const
const TENANTS: Weighted<string> = [
  [80, MAIN_TENANT],
  [12, OTHER_TENANTS[0]],
  [8, OTHER_TENANTS[1]],
]

/** Messages per minute, so many minutes before the end: one wave a day, and a ripple. */
const paceAt = (minutesAgo: number): number =>
  16 + 12 * Math.cos((minutesAgo / MINUTES) * 2 * Math.PI) + 3 * Math.sin(minutesAgo / 25)

/** What the main tenant sent besides, from one time on and for a while. */
const EPISODES: readonly Readonly<{ minutesAgo: number; minutes: number; pace: number; kind: Kind }>[] = [
  { minutesAgo: 540, minutes: 20, pace: 60, kind: offer },
  { minutesAgo: 200, minutes: 25, pace: 30, kind: alert },
  { minutesAgo: 38, minutes: 7, pace: 40, kind: alert },
]

/** The console compares a day with the day before, in steps of half an hour: there is nothing of the latter. */
const HALF_HOUR = 30 * MINUTE
const startOf = (until: Instant): number => Math.ceil(until / HALF_HOUR) * HALF_HOUR - MINUTES * MINUTE

/** Oldest first; all has happened before `until`. */
export function* pastDay(until: Instant): Generator<Past> {
  const [dice, start] = [seededRandom(SEED), startOf(until)]
  let n = 0
  for (let minutesAgo = MINUTES; minutesAgo > 0; minutesAgo -= 1) {
    for (const [offset, tenant, kind] of minuteOf(minutesAgo, dice)) {
      n += 1
      const past = toPast({ n, tenant, kind, createdAt: instant(until - minutesAgo * MINUTE + offset) }, dice)
      if (past.createdAt >= start && endOf(past) <= until) yield past
    }
  }
}

type Planned = readonly [offset: number, tenant: string, kind: Kind]

/** What was sent in one minute, in order. */
function minuteOf(minutesAgo: number, dice: Dice): readonly Planned[] {
  const usual = Array.from(
    { length: Math.round(paceAt(minutesAgo)) },
    (): Planned => [randomBelow(MINUTE, dice), draw(TENANTS, dice), draw(ALL_DAY, dice)],
  )
  const special = EPISODES.filter((one) => minutesAgo <= one.minutesAgo && minutesAgo > one.minutesAgo - one.minutes)
  const more = special.flatMap(({ pace, kind }) =>
    Array.from({ length: pace }, (): Planned => [randomBelow(MINUTE, dice), MAIN_TENANT, kind]),
  )
  return [...usual, ...more].toSorted(([one], [other]) => one - other)
}

type Place = Readonly<{ n: number; tenant: string; kind: Kind; createdAt: Instant }>

function toPast({ n, tenant, kind, createdAt }: Place, dice: Dice): Past {
  const { content, form, lane = 'transactional', account = 'default', fate, ...way } = kind(createdAt, dice)
  const submission = {
    tenantId: tenant as TenantId,
    accountId: account as AccountId,
    lane,
    content,
    form,
    idempotencyKey: `past-${n}`,
    traceId: Array.from({ length: 32 }, () => randomBelow(16, dice).toString(16)).join('') as TraceId,
  }
  return { createdAt, submission, happened: happenedOn({ ...way, createdAt, channel: content.channel, dice }, fate) }
}

const endOf = ({ createdAt, happened }: Past): Instant => {
  const last = happened.at(-1)
  return last === undefined ? createdAt : later(createdAt, last.after)
}
