/** Kannel sends through Pombo with nothing but an address and a login, and gets its receipts. */
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { type Kannel, missingKannel, openKannel } from '../support/kannel.ts'
import { skipUnavailable } from '../support/skip.ts'
import { freshNumber, inboxOf, magic } from '../support/sms.ts'
import { until } from '../support/until.ts'
import type { Pair } from './api-keys.contract.ts'

/** Kannel's numbers: delivered, failed, accepted by the SMSC. */
const [DELIVERED, FAILED, ACCEPTED] = [1, 2, 8]

export function smppKannelContract({ one }: Pair, port: number): void {
  const why = missingKannel()

  async function openHere(t: TestContext): Promise<Kannel | undefined> {
    if (why !== undefined) {
      skipUnavailable(t, why)
      return undefined
    }
    const wanted = { name: 'Kannel', scopes: ['sms:send'] }
    const { body } = await one.call<Readonly<Record<'id' | 'smpp_password', string>>>('POST', '/v1/api-keys', wanted)
    return openKannel({ port, system_id: body.id, password: body.smpp_password, more: IDEMPOTENCY_KEY })
  }

  describe('Kannel', () => {
    test('sends short and long messages, and follows them by receipts', async (t) => {
      const kannel = await openHere(t)
      if (kannel === undefined) return
      await using _ = kannel
      const [short, long, wrong] = [freshNumber(), freshNumber(), magic('0001')]
      const cyrillic = 'Ваша посылка в пути. '.repeat(12).trim()
      await kannel.send(short, 'Your parcel is on its way: 5€ {now}', 'short', { from: 'Acme' })
      await kannel.send(long, cyrillic, 'long', { from: '15550001111', coding: '2' })
      await kannel.send(wrong, 'x'.repeat(400), 'wrong')
      const typesOf = (ref: string): readonly number[] =>
        kannel.receipts().flatMap((receipt) => (receipt.ref === ref ? [receipt.type] : []))
      await until(
        'the receipts',
        () => typesOf('short').includes(DELIVERED) && typesOf('long').includes(DELIVERED),
        PATIENT,
      )
      await until('the failure', () => typesOf('wrong').includes(FAILED), PATIENT)
      assert.ok(typesOf('short').includes(ACCEPTED) && typesOf('wrong').includes(ACCEPTED))
      assert.deepEqual(
        [(await inboxOf(one, short))[0]?.body, (await inboxOf(one, long)).map(({ body }) => body)],
        ['Your parcel is on its way: 5€ {now}', [cyrillic]],
      )
      assert.match(await kannel.status(), /SMPP:127\.0\.0\.1.*\(online/)

      const once = freshNumber()
      const key = { 'meta-data': `?smpp?pombo_key=order-${once.slice(1)}` }
      for (const ref of ['first', 'again']) await kannel.send(once, 'Once only.', ref, key)
      await until(
        'the receipt',
        () => typesOf('first').includes(DELIVERED) || typesOf('again').includes(DELIVERED),
        PATIENT,
      )
      await until('both answers', () => typesOf('first').includes(ACCEPTED) && typesOf('again').includes(ACCEPTED))
      assert.equal((await inboxOf(one, once)).length, 1)
    })
  })
}

/** As docs/smpp-server.md says. */
const IDEMPOTENCY_KEY = `
group = smpp-tlv
name = pombo_key
tag = 0x1400
type = octetstring
length = 255
smsc-id = pombo
`

const PATIENT = { withinMs: 40_000, everyMs: 100 }
