/** Occasional events that are printed: a storm that opens a breaker, a campaign, a replay of dead letters. */
import { randomUUID } from 'node:crypto'
import type { Client } from './client.ts'
import { anyPhone } from './people.ts'

const STORM_SIZE = 60
const CAMPAIGN_SIZE = 120
const REPLAYED = 3

/** Enough messages for the shaky provider to open its circuit breaker. */
export async function storm(client: Client): Promise<void> {
  const message = 'The harbour is closed because of the storm. Stay where you are.'
  const sends = Array.from({ length: STORM_SIZE }, () =>
    client.send('/v1/sms/send', { to: anyPhone(), message, sender_id: 'ALERTS', tags: ['alerts', 'storm'] }),
  )
  await Promise.all(sends)
}

export type Campaign = Readonly<{ accepted: number; refused: number }>

/** More than the limit of the account allows, in the bulk lane. */
export async function campaign(client: Client): Promise<Campaign> {
  const items = Array.from({ length: CAMPAIGN_SIZE }, () => ({
    to: anyPhone(),
    message: 'Birdseed at half price, this week only. Come by!',
    sender_id: 'Loft',
    lane: 'bulk',
    tags: ['spring-sale'],
    idempotency_key: randomUUID(),
  }))
  const { status, body } = await client.call('POST', '/v1/messages/batch', { items })
  if (status !== 200) return { accepted: 0, refused: items.length }
  const accepted = (body['results'] as readonly { error?: unknown }[]).filter(({ error }) => error === undefined).length
  client.tally.accepted += accepted
  client.tally.refused += items.length - accepted
  return { accepted, refused: items.length - accepted }
}

/** Replays a few dead letters; returns how many. */
export async function replaySome(client: Client): Promise<number> {
  const { body } = await client.call('GET', `/v1/dead-letters?limit=${REPLAYED}`)
  const found = (body['items'] ?? []) as readonly { id: string }[]
  for (const { id } of found) await client.call('POST', `/v1/dead-letters/${id}/replay`)
  return found.length
}
