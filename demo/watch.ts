/** Tells how breakers stand whenever one changes, and how many messages there are from time to time. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Client, Tally } from './client.ts'
import type { Say } from './scene.ts'

type Provider = Readonly<{ name: string; users: boolean; breaker: Readonly<{ state: string }> }>

export async function providersOf(client: Client): Promise<readonly Provider[]> {
  const { status, body } = await client.call('GET', '/v1/providers')
  if (status !== 200) throw new Error(`the gateway answered ${status}: ${String(body['detail'])}`)
  return body['items'] as readonly Provider[]
}

const EVERY_MS = 1_000
const SUMMARY_EVERY = 15
const WORDS: Readonly<Record<string, string>> = {
  open: 'its breaker is open, and the others stand in',
  half_open: 'one call tries it out',
  closed: 'it is used again',
}

export type Watched = Readonly<{ tally: Tally; told: () => number }>

export async function watch(client: Client, say: Say, { tally, told }: Watched, signal: AbortSignal): Promise<void> {
  const states = new Map<string, string>()
  for (let look = 1; !signal.aborted; look += 1) {
    for (const { name, breaker } of await providersOf(client)) {
      if ((states.get(name) ?? 'closed') !== breaker.state) say(`${name}: ${WORDS[breaker.state] ?? breaker.state}`)
      states.set(name, breaker.state)
    }
    if (look % SUMMARY_EVERY === 0) say(toSummary(tally, told()))
    await wait(EVERY_MS, undefined, { signal }).catch(() => undefined)
  }
}

export const toSummary = ({ accepted, refused }: Tally, told: number): string =>
  `${accepted} messages accepted, ${refused} refused, ${told} webhooks received`
