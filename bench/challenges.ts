/** Challenges for guesses. They are created before the measurement, because creating one costs a hash too. */
import { call, newRun, type Sender, toHeaders } from './messages.ts'
import type { Request } from './request.ts'

/** The maximum that a challenge allows, so that every guess is compared. */
export const GUESSES = 10
const MAX_TTL_SECONDS = 3600
const CONCURRENCY = 16

/** Each for its own recipient, so that no limit is reached. Returns their ids. */
export async function prepareChallenges(sender: Sender, count: number): Promise<readonly string[]> {
  const run = newRun()
  const numbers = Array.from({ length: count }, (_, nth) => nth).values()
  const ids: string[] = []
  const prepare = async (): Promise<void> => {
    for (const nth of numbers) ids.push(await generate(sender, `bench-otp-${run}-${nth}`, nth))
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, prepare))
  return ids
}

async function generate(sender: Sender, key: string, nth: number): Promise<string> {
  const body = {
    to: `+5521${String(nth).padStart(8, '0')}`,
    ttl_seconds: MAX_TTL_SECONDS,
    max_attempts: GUESSES,
    idempotency_key: key,
  }
  const { challenge_id: id } = (await call(sender, 'POST', '/v1/otp/generate', body)) as { challenge_id: string }
  return id
}

/** Guesses for one challenge after the other. One in a million is right and ends its challenge; that is negligible. */
export const toGuess = (token: string, challenges: readonly string[]): Request => ({
  method: 'POST',
  path: '/v1/otp/validate',
  headers: toHeaders(token),
  body: challenges.map((id) => `{"challenge_id":"${id}","code":"######"}`),
})
