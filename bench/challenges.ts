/** Codes to guess at. They are made before anything is measured, for making one costs a hash too. */
import { call, newRun, type Sender, toHeaders } from './messages.ts'
import type { Request } from './request.ts'

/** The most that a challenge allows: so every guess is really compared. */
export const GUESSES = 10
const LONGEST_SECONDS = 3600
const AT_ONCE = 16

/** Each for a recipient of its own, so that no limit is reached. Answers their ids. */
export async function prepareChallenges(sender: Sender, count: number): Promise<readonly string[]> {
  const run = newRun()
  const numbers = Array.from({ length: count }, (_, nth) => nth).values()
  const ids: string[] = []
  const prepare = async (): Promise<void> => {
    for (const nth of numbers) ids.push(await generate(sender, `bench-otp-${run}-${nth}`, nth))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, prepare))
  return ids
}

async function generate(sender: Sender, key: string, nth: number): Promise<string> {
  const body = {
    to: `+5521${String(nth).padStart(8, '0')}`,
    ttl_seconds: LONGEST_SECONDS,
    max_attempts: GUESSES,
    idempotency_key: key,
  }
  const { challenge_id: id } = (await call(sender, 'POST', '/v1/otp/generate', body)) as { challenge_id: string }
  return id
}

/** Ever new guesses, at one challenge after the other. One in a million is right and ends its challenge, which is too few to show. */
export const toGuess = (token: string, challenges: readonly string[]): Request => ({
  method: 'POST',
  path: '/v1/otp/validate',
  headers: toHeaders(token),
  body: challenges.map((id) => `{"challenge_id":"${id}","code":"######"}`),
})
