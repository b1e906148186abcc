/** Erases by recipient over HTTP and waits for the receipt. */
import assert from 'node:assert/strict'
import type { SignedReceipt } from '../../src/domain/message/erasure-receipt.ts'
import type { Gateway } from './gateway.ts'
import { until } from './until.ts'

type Shown = Readonly<{ id: string; status: string; receipt: SignedReceipt | null }>

export async function startErasing(gateway: Pick<Gateway, 'call'>, to: string): Promise<string> {
  const { status, body, text } = await gateway.call<Shown>('POST', '/v1/erasures', { to })
  assert.equal(status, 202, text)
  return body.id
}

export const untilErased = (gateway: Pick<Gateway, 'call'>, id: string): Promise<SignedReceipt> =>
  until(
    'the erasure to be completed',
    async () => (await gateway.call<Shown>('GET', `/v1/erasures/${id}`)).body.receipt ?? undefined,
    { withinMs: 120_000 },
  )

export const eraseRecipient = async (gateway: Pick<Gateway, 'call'>, to: string): Promise<SignedReceipt> =>
  untilErased(gateway, await startErasing(gateway, to))
