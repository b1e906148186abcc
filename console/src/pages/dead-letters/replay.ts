/** The calls of a replay, step by step, and the count of what came of them. */
import { api, Problem, take } from '../../api/client.ts'
import { TEXTS } from '../../texts.ts'
import { isMeant, listLetters, type Sought, toFilter } from './letters.ts'

export type Plan =
  | Readonly<{ kind: 'these'; ids: readonly string[] }>
  | Readonly<{ kind: 'matching'; sought: Sought; total: number | undefined }>

/** How many it is about, where that is known. */
export const totalOf = (plan: Plan): number | undefined => (plan.kind === 'these' ? plan.ids.length : plan.total)

/** `why` counts the passed over by their reason, where it is known: a call for all of them tells only those of limits. */
export type Tally = Readonly<{ replayed: number; skipped: number; why: Readonly<Record<string, number>> }>

export const NOTHING: Tally = { replayed: 0, skipped: 0, why: {} }

export function add(tally: Tally, step: Tally): Tally {
  const why = { ...tally.why }
  for (const [words, count] of Object.entries(step.why)) why[words] = (why[words] ?? 0) + count
  return { replayed: tally.replayed + step.replayed, skipped: tally.skipped + step.skipped, why }
}

const AT_ONCE = 6
const PAGE = 200

export function replayPlan(plan: Plan): AsyncGenerator<Tally> {
  if (plan.kind === 'these') return replayThese(plan.ids)
  return plan.sought.error === undefined ? replayMatching(plan.sought) : replayOfReason(plan.sought)
}

async function* replayThese(ids: readonly string[]): AsyncGenerator<Tally> {
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const steps = await Promise.allSettled(ids.slice(from, from + AT_ONCE).map(replayOne))
    yield steps.reduce((tally, step) => (step.status === 'fulfilled' ? add(tally, step.value) : tally), NOTHING)
    const failed = steps.find((step) => step.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }
}

/** The gateway goes through them by itself, up to ten thousand in a call. */
async function* replayMatching(sought: Sought): AsyncGenerator<Tally> {
  let cursor: string | null = null
  do {
    const { replayed, skipped, rate_limited: limited, next_cursor }: Replayed = await replayFrom(sought, cursor)
    yield {
      replayed,
      skipped: skipped + limited,
      why: limited === 0 ? {} : { [TEXTS.deadLetters.run.limited]: limited },
    }
    cursor = next_cursor
  } while (cursor !== null)
}

type Replayed = Readonly<{ replayed: number; skipped: number; rate_limited: number; next_cursor: string | null }>

const replayFrom = (sought: Sought, cursor: string | null): Promise<Replayed> =>
  take(
    api.POST('/v1/dead-letters/replay', {
      body: { filter: toFilter(sought), ...(cursor === null ? {} : { cursor }) },
    }),
  )

/** One by one, because only the list tells the exact code of an error. */
async function* replayOfReason(sought: Sought): AsyncGenerator<Tally> {
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<typeof listLetters>> = await listLetters(sought, cursor ?? undefined, PAGE)
    yield* replayThese(page.items.filter((letter) => isMeant(sought, letter)).map(({ id }) => id))
    cursor = page.next_cursor
  } while (cursor !== null)
}

/** What cannot be replayed, or not any more, is passed over; anything else that goes wrong ends the run. */
async function replayOne(id: string): Promise<Tally> {
  try {
    await take(api.POST('/v1/dead-letters/{id}/replay', { params: { path: { id } } }))
    return { ...NOTHING, replayed: 1 }
  } catch (error) {
    if (!(error instanceof Problem) || ![404, 409, 429].includes(error.status)) throw error
    const reason = error.status === 429 ? TEXTS.deadLetters.run.limited : error.message
    return { replayed: 0, skipped: 1, why: { [reason]: 1 } }
  }
}
