/** One tenant guesses codes, many at once; another one generates some meanwhile. */
import { randomUUID } from 'node:crypto'
import { newRun } from '../messages.ts'
import { openGateway } from '../server.ts'
import { type Tenant, tenantOf } from './tenants.ts'

export type Guessing = Readonly<{
  /** The slowest code that was generated meanwhile, and without guesses. In milliseconds. */
  slowestMs: number
  usualMs: number
  generated: number
  /** The answers to the guesses by status. */
  answers: Readonly<Record<string, number>>
}>

const GUESSES = 400
const ATTEMPTS = 10
const USUAL = 5

export async function measureGuessing(): Promise<Readonly<{ unknown: Guessing; own: Guessing }>> {
  await using gateway = await openGateway()
  const [attacker, victim] = [tenantOf(gateway, 'attacker'), tenantOf(gateway, 'victim')]
  await generateFor(victim, USUAL)
  const unknown = await guess(
    attacker,
    victim,
    Array.from({ length: GUESSES }, () => randomUUID()),
  )
  const own = await ownChallenges(attacker, GUESSES / ATTEMPTS)
  // The guesses at unknown challenges have used up what may be wrong at once.
  await new Promise((resolve) => setTimeout(resolve, 10_000))
  const guesses = Array.from({ length: GUESSES }, (_, nth) => own[nth % own.length] ?? '')
  return { unknown, own: await guess(attacker, victim, guesses) }
}

async function ownChallenges(tenant: Tenant, count: number): Promise<readonly string[]> {
  const run = newRun()
  const ids: string[] = []
  for (let nth = 0; nth < count; nth += 1) {
    const body = {
      to: `+5531${String(nth).padStart(8, '0')}`,
      max_attempts: ATTEMPTS,
      idempotency_key: `${run}-${nth}`,
    }
    ids.push(String((await tenant.ask('POST', '/v1/otp/generate', body)).body['challenge_id']))
  }
  return ids
}

async function guess(attacker: Tenant, victim: Tenant, challenges: readonly string[]): Promise<Guessing> {
  const usual = await generateFor(victim, USUAL)
  let isOver = false
  const guesses = Promise.all(
    challenges.map(async (id) => {
      const { status, body } = await attacker.ask('POST', '/v1/otp/validate', { challenge_id: id, code: '000000' })
      return status === 200 ? `200 ${body['status']}` : `${status} ${body['error_code']}`
    }),
  ).finally(() => {
    isOver = true
  })
  const taken: number[] = []
  // At least one, which competes with all of them.
  do taken.push(...(await generateFor(victim, 1)))
  while (!isOver)
  const answers: Record<string, number> = {}
  for (const answer of await guesses) answers[answer] = (answers[answer] ?? 0) + 1
  return { slowestMs: Math.max(...taken), usualMs: Math.max(...usual), generated: taken.length, answers }
}

/** The time that each took, one after the other. */
async function generateFor(tenant: Tenant, count: number): Promise<readonly number[]> {
  const run = newRun()
  const taken: number[] = []
  for (let nth = 0; nth < count; nth += 1) {
    const body = {
      to: `+5541${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`,
      idempotency_key: `${run}-${nth}`,
    }
    const begunAt = performance.now()
    const { status } = await tenant.ask('POST', '/v1/otp/generate', body)
    if (status !== 202) throw new Error(`the other tenant was refused with ${status}`)
    taken.push(performance.now() - begunAt)
  }
  return taken
}
