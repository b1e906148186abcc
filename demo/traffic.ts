/** The traffic of the demo: waves of random actions with occasional episodes. */
import { setTimeout as wait } from 'node:timers/promises'
import { anyAction, everyAction } from './actions.ts'
import type { Client } from './client.ts'
import { campaign, replaySome, storm } from './episodes.ts'

/** `main` is the tenant of the printed console link, and by far the busiest. */
export type Clients = Readonly<{
  main: Client
  marketing: Client | undefined
  others: readonly Client[]
  shaky: string
}>

export type Say = (line: string) => void

const STEP_MS = 250
const WAVE_MS = 60_000
const BURST_SIZE = 40
/** The burst includes a storm and a campaign, so episodes start later. */
const AFTER_BURST_MS = 30_000
const OTHERS_SHARE = 0.25

type Episode = Readonly<{ firstMs: number; everyMs: number; play: (clients: Clients, say: Say) => Promise<void> }>

const EPISODES: readonly Episode[] = [
  {
    firstMs: 8_000,
    everyMs: 75_000,
    async play({ main, shaky }, say) {
      say(`storm: ${shaky} fails often, its circuit breaker should open`)
      await storm(main)
    },
  },
  {
    firstMs: 20_000,
    everyMs: 90_000,
    async play({ marketing }, say) {
      if (marketing === undefined) return
      const { accepted, refused } = await campaign(marketing)
      say(`campaign: ${accepted} accepted, ${refused} over the limit of the account`)
    },
  },
  {
    firstMs: 45_000,
    everyMs: 60_000,
    async play({ main }, say) {
      const replayed = await replaySome(main)
      if (replayed > 0) say(`replayed ${replayed} dead letters`)
    },
  },
]

/** The current load factor around 1: two superimposed waves. */
const loadAt = (ms: number): number =>
  1 + 0.5 * Math.sin((ms / WAVE_MS) * 2 * Math.PI) + 0.3 * Math.sin((ms / WAVE_MS) * 5.3 * Math.PI)

export type TrafficOptions = Readonly<{ pace: number; fast: boolean; signal: AbortSignal }>

/** Runs until the signal aborts, and finishes started actions. Rejects when the gateway is unreachable. */
export async function play(clients: Clients, say: Say, { pace, fast, signal }: TrafficOptions): Promise<void> {
  const running = new Set<Promise<unknown>>()
  const lost = Promise.withResolvers<never>()
  lost.promise.catch(() => undefined)
  const begin = (action: Promise<unknown>): void => {
    const tracked = action.catch(lost.reject).finally(() => running.delete(tracked))
    running.add(tracked)
  }
  for (const action of everyAction) begin(action(clients.main))
  if (fast) await Promise.race([burst(clients, say), lost.promise])

  const begunAt = Date.now()
  const due = EPISODES.map(({ firstMs }) => firstMs + (fast ? AFTER_BURST_MS : 0))
  let owed = 0
  while (!signal.aborted) {
    const elapsed = Date.now() - begunAt
    owed += pace * loadAt(elapsed) * (STEP_MS / 1_000)
    for (; owed >= 1; owed -= 1) begin(anyAction()(pickClient(clients)))
    for (const [index, episode] of EPISODES.entries()) {
      if (elapsed < (due[index] ?? 0)) continue
      due[index] = elapsed + episode.everyMs
      begin(episode.play(clients, say))
    }
    await Promise.race([wait(STEP_MS, undefined, { signal }).catch(() => undefined), lost.promise])
  }
  await Promise.race([Promise.all(running), wait(2_000)])
}

const pickClient = ({ main, others }: Clients): Client =>
  Math.random() < OTHERS_SHARE ? (others[Math.floor(Math.random() * others.length)] ?? main) : main

/** Several hundred messages, in rounds that a gateway handles easily. */
async function burst(clients: Clients, say: Say): Promise<void> {
  const rounds = 12
  for (let round = 0; round < rounds; round += 1) {
    await Promise.all(Array.from({ length: BURST_SIZE }, () => quick(clients)))
  }
  await storm(clients.main)
  if (clients.marketing !== undefined) await campaign(clients.marketing)
  say(`${rounds * BURST_SIZE} messages sent to start with`)
}

/** Does not wait for actions that take long. */
async function quick(clients: Clients): Promise<void> {
  const action = anyAction()(pickClient(clients))
  await Promise.race([action, wait(200)])
  action.catch(() => undefined)
}
