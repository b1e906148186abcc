/** The scene itself: traffic that comes in waves, episodes in between, and a line about what is worth seeing. */
import { setTimeout as wait } from 'node:timers/promises'
import { anyAct, everyAct } from './acts.ts'
import type { Client } from './client.ts'
import { campaign, storm, tidy } from './episodes.ts'

/** The first is whose console one looks at, and by far the busiest. */
export type Cast = Readonly<{ main: Client; marketing: Client | undefined; others: readonly Client[]; shaky: string }>

export type Say = (line: string) => void

const STEP_MS = 250
const WAVE_MS = 60_000
const CROWD = 40
/** A crowd brings a storm and a campaign of its own. */
const CROWD_SETTLES_MS = 30_000
const OTHERS_SHARE = 0.25

type Episode = Readonly<{ firstMs: number; everyMs: number; play: (cast: Cast, say: Say) => Promise<void> }>

const EPISODES: readonly Episode[] = [
  {
    firstMs: 8_000,
    everyMs: 75_000,
    async play({ main, shaky }, say) {
      say(`a storm: ${shaky} fails so often that its breaker should open`)
      await storm(main)
    },
  },
  {
    firstMs: 20_000,
    everyMs: 90_000,
    async play({ marketing }, say) {
      if (marketing === undefined) return
      const { accepted, refused } = await campaign(marketing)
      say(`a campaign: ${accepted} accepted, ${refused} over the limit of the account`)
    },
  },
  {
    firstMs: 45_000,
    everyMs: 60_000,
    async play({ main }, say) {
      const replayed = await tidy(main)
      if (replayed > 0) say(`somebody replays ${replayed} dead letters`)
    },
  },
]

/** How busy it is now, around 1: two waves that never quite meet. */
const tide = (ms: number): number =>
  1 + 0.5 * Math.sin((ms / WAVE_MS) * 2 * Math.PI) + 0.3 * Math.sin((ms / WAVE_MS) * 5.3 * Math.PI)

export type Running = Readonly<{ pace: number; fast: boolean; signal: AbortSignal }>

/** Until the signal; what was begun is finished. Rejects when the gateway is gone. */
export async function play(cast: Cast, say: Say, { pace, fast, signal }: Running): Promise<void> {
  const under = new Set<Promise<unknown>>()
  const lost = Promise.withResolvers<never>()
  lost.promise.catch(() => undefined)
  const begin = (story: Promise<unknown>): void => {
    const kept = story.catch(lost.reject).finally(() => under.delete(kept))
    under.add(kept)
  }
  for (const act of everyAct) begin(act(cast.main))
  if (fast) await Promise.race([crowd(cast, say), lost.promise])

  const begunAt = Date.now()
  const due = EPISODES.map(({ firstMs }) => firstMs + (fast ? CROWD_SETTLES_MS : 0))
  let owed = 0
  while (!signal.aborted) {
    const elapsed = Date.now() - begunAt
    owed += pace * tide(elapsed) * (STEP_MS / 1_000)
    for (; owed >= 1; owed -= 1) begin(anyAct()(whose(cast)))
    for (const [index, episode] of EPISODES.entries()) {
      if (elapsed < (due[index] ?? 0)) continue
      due[index] = elapsed + episode.everyMs
      begin(episode.play(cast, say))
    }
    await Promise.race([wait(STEP_MS, undefined, { signal }).catch(() => undefined), lost.promise])
  }
  await Promise.race([Promise.all(under), wait(2_000)])
}

const whose = ({ main, others }: Cast): Client =>
  Math.random() < OTHERS_SHARE ? (others[Math.floor(Math.random() * others.length)] ?? main) : main

/** Some hundred messages, as many at a time as a gateway takes in its stride. */
async function crowd(cast: Cast, say: Say): Promise<void> {
  const rounds = 12
  for (let round = 0; round < rounds; round += 1) {
    await Promise.all(Array.from({ length: CROWD }, () => quick(cast)))
  }
  await storm(cast.main)
  if (cast.marketing !== undefined) await campaign(cast.marketing)
  say(`${rounds * CROWD} messages to begin with`)
}

/** The little stories take their time, and nobody waits for them here. */
async function quick(cast: Cast): Promise<void> {
  const story = anyAct()(whose(cast))
  await Promise.race([story, wait(200)])
  story.catch(() => undefined)
}
