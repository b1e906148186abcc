/** The API calls of a replay, and the count of their results. */
import { api, Problem, unwrap } from '../../api/client.ts'
import { DEAD_LETTERS_TEXTS } from '../../texts/dead-letters.ts'
import { type LetterFilters, listLetters, matchesFilters, toFilter } from './letters.ts'

export type Plan =
  | Readonly<{ kind: 'these'; ids: readonly string[] }>
  | Readonly<{ kind: 'matching'; filters: LetterFilters; total: number | undefined }>

export const totalOf = (plan: Plan): number | undefined => (plan.kind === 'these' ? plan.ids.length : plan.total)

/** `reasons` counts skipped messages by reason. The bulk call only reports those skipped by a rate limit. */
export type Tally = Readonly<{ replayed: number; skipped: number; reasons: Readonly<Record<string, number>> }>

export const EMPTY_TALLY: Tally = { replayed: 0, skipped: 0, reasons: {} }

export function add(tally: Tally, step: Tally): Tally {
  const reasons = { ...tally.reasons }
  for (const [words, count] of Object.entries(step.reasons)) reasons[words] = (reasons[words] ?? 0) + count
  return { replayed: tally.replayed + step.replayed, skipped: tally.skipped + step.skipped, reasons }
}

const AT_ONCE = 6
const PAGE = 200

export function replayPlan(plan: Plan): AsyncGenerator<Tally> {
  if (plan.kind === 'these') return replayThese(plan.ids)
  return plan.filters.error === undefined ? replayMatching(plan.filters) : replayOfReason(plan.filters)
}

async function* replayThese(ids: readonly string[]): AsyncGenerator<Tally> {
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const steps = await Promise.allSettled(ids.slice(from, from + AT_ONCE).map(replayOne))
    yield steps.reduce((tally, step) => (step.status === 'fulfilled' ? add(tally, step.value) : tally), EMPTY_TALLY)
    const failed = steps.find((step) => step.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }
}

/** The gateway replays up to ten thousand messages per call. */
async function* replayMatching(filters: LetterFilters): AsyncGenerator<Tally> {
  let cursor: string | null = null
  do {
    const { replayed, skipped, rate_limited: limited, next_cursor }: Replayed = await replayFrom(filters, cursor)
    yield {
      replayed,
      skipped: skipped + limited,
      reasons: limited === 0 ? {} : { [DEAD_LETTERS_TEXTS.run.limited]: limited },
    }
    cursor = next_cursor
  } while (cursor !== null)
}

type Replayed = Readonly<{ replayed: number; skipped: number; rate_limited: number; next_cursor: string | null }>

const replayFrom = (filters: LetterFilters, cursor: string | null): Promise<Replayed> =>
  unwrap(
    api.POST('/v1/dead-letters/replay', {
      body: { filter: toFilter(filters), ...(cursor === null ? {} : { cursor }) },
    }),
  )

/** One by one, because only the list has the exact error code. */
async function* replayOfReason(filters: LetterFilters): AsyncGenerator<Tally> {
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<typeof listLetters>> = await listLetters(filters, cursor ?? undefined, PAGE)
    yield* replayThese(page.items.filter((letter) => matchesFilters(filters, letter)).map(({ id }) => id))
    cursor = page.next_cursor
  } while (cursor !== null)
}

/** Skips messages that can no longer be replayed; any other error ends the run. */
async function replayOne(id: string): Promise<Tally> {
  try {
    await unwrap(api.POST('/v1/dead-letters/{id}/replay', { params: { path: { id } } }))
    return { ...EMPTY_TALLY, replayed: 1 }
  } catch (error) {
    if (!(error instanceof Problem) || ![404, 409, 429].includes(error.status)) throw error
    const reason = error.status === 429 ? DEAD_LETTERS_TEXTS.run.limited : error.message
    return { replayed: 0, skipped: 1, reasons: { [reason]: 1 } }
  }
}
