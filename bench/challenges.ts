/** Challenges with their codes. They are created before the measurement, because creating one costs a hash too. */
import { setTimeout as wait } from 'node:timers/promises'
import { call, newRun, type Sender, toHeaders } from './messages.ts'
import type { Request } from './request.ts'

export type Challenge = Readonly<{ id: string; code: string }>

const MAX_TTL_SECONDS = 3600
const CONCURRENCY = 16
const LOOK_MS = 5
const LOOKS = 2_000

/** Each for its own recipient, so that no limit is reached. The codes are read from the simulator. */
export async function prepareChallenges(sender: Sender, count: number): Promise<readonly Challenge[]> {
  const run = newRun()
  const numbers = Array.from({ length: count }, (_, nth) => nth).values()
  const challenges: Challenge[] = []
  const prepare = async (): Promise<void> => {
    for (const nth of numbers) challenges.push(await generate(sender, `bench-otp-${run}-${nth}`, nth))
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, prepare))
  return challenges
}

async function generate(sender: Sender, key: string, nth: number): Promise<Challenge> {
  const to = `+5521${String(nth).padStart(8, '0')}`
  const body = { to, ttl_seconds: MAX_TTL_SECONDS, idempotency_key: key }
  const { challenge_id: id } = (await call(sender, 'POST', '/v1/otp/generate', body)) as { challenge_id: string }
  return { id, code: await receivedCode(sender, to, id) }
}

type Inbox = Readonly<{ items: readonly Readonly<{ message_id: string; body: string }>[] }>

async function receivedCode(sender: Sender, to: string, id: string): Promise<string> {
  for (let look = 0; look < LOOKS; look += 1) {
    const { items } = (await call(sender, 'GET', `/v1/simulator/inbox?to=${encodeURIComponent(to)}`)) as Inbox
    const [code] = /\b\d{6}\b/.exec(items.find((item) => item.message_id === id)?.body ?? '') ?? []
    if (code !== undefined) return code
    await wait(LOOK_MS)
  }
  throw new Error('the simulator received no code')
}

/** The right code for one challenge after the other: wrong ones are limited. */
export const toValidations = (token: string, challenges: readonly Challenge[]): Request => ({
  method: 'POST',
  path: '/v1/otp/validate',
  headers: toHeaders(token),
  body: challenges.map(({ id, code }) => JSON.stringify({ challenge_id: id, code })),
})
