/** Prints the transitions of circuit breakers, and a summary from time to time. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Client, Tally } from './client.ts'
import type { Say } from './traffic.ts'

type Provider = Readonly<{ name: string; users: boolean; breaker: Readonly<{ state: string }> }>

export async function providersOf(client: Client): Promise<readonly Provider[]> {
  const { status, body } = await client.call('GET', '/v1/providers')
  if (status !== 200) throw new Error(`the gateway answered ${status}: ${String(body['detail'])}`)
  return body['items'] as readonly Provider[]
}

const EVERY_MS = 1_000
const SUMMARY_EVERY = 15
const MESSAGES: Readonly<Record<string, string>> = {
  open: 'circuit breaker open, other providers take over',
  half_open: 'circuit breaker half-open, trying one call',
  closed: 'circuit breaker closed',
}

export type Watched = Readonly<{ tally: Tally; received: () => number }>

export async function watch(
  client: Client,
  say: Say,
  { tally, received }: Watched,
  signal: AbortSignal,
): Promise<void> {
  const states = new Map<string, string>()
  for (let nth = 1; !signal.aborted; nth += 1) {
    for (const { name, breaker } of await providersOf(client)) {
      if ((states.get(name) ?? 'closed') !== breaker.state) say(`${name}: ${MESSAGES[breaker.state] ?? breaker.state}`)
      states.set(name, breaker.state)
    }
    if (nth % SUMMARY_EVERY === 0) say(toSummary(tally, received()))
    await wait(EVERY_MS, undefined, { signal }).catch(() => undefined)
  }
}

export const toSummary = ({ accepted, refused }: Tally, received: number): string =>
  `${accepted} messages accepted, ${refused} refused, ${received} webhooks received`
