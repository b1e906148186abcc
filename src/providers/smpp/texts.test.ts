import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openSmppWorld } from '../../../test/support/smpp-world.ts'
import { toMessages } from '../../../test/support/smsc-messages.ts'
import { toSegmentation } from '../../domain/message/segments.ts'
import { someAttempt } from '../../ports/provider.contract.ts'
import type { Settings } from './settings.ts'
import { LONG_MESSAGES } from './submit.ts'

const TEXTS = {
  'a short text': 'Hello @ £ _ [€]',
  'a long text': 'Seu codigo de acesso vale dez minutos e custa 3 € [ou nada]. '.repeat(9),
  'a text of two-septet characters': '€'.repeat(153),
  'a short text with an emoji': 'Olá 😀',
  'a long text with emoji': 'Olá, seu código é este 😀🎉. '.repeat(9),
  'a text of emoji only': '😀'.repeat(67),
}

async function arrive(settings: Partial<Settings>, body: string, kind: 'sms' | 'flash_sms' = 'sms') {
  await using world = await openSmppWorld({ settings })
  const outcome = await world.provider.send(
    someAttempt({ ...toSegmentation(body), content: { body, kind } }),
    AbortSignal.timeout(30_000),
  )
  assert.equal(outcome.kind, 'accepted')
  const submits = world.smsc.submits.map(({ fields }) => fields)
  const [message, ...others] = toMessages(submits, settings.alphabet)
  assert.ok(message !== undefined && others.length === 0)
  return { message, submits }
}

describe('texts over SMPP', { timeout: 120_000 }, () => {
  for (const long_messages of LONG_MESSAGES) {
    for (const [what, body] of Object.entries(TEXTS)) {
      test(`${what} arrives unchanged with ${long_messages}`, async () => {
        const { message, submits } = await arrive({ long_messages }, body)
        assert.equal(message.text, body)
        const { encoding, segments } = toSegmentation(body)
        assert.equal(message.submit.data_coding, encoding === 'gsm7' ? 0 : 8)
        if (long_messages === 'payload') assert.equal(submits.length, 1)
        else assert.equal(message.parts, segments)
      })
    }
  }

  test('an SMSC with Latin-1 gets Latin-1, or UCS-2 if a character is missing', async () => {
    const latin = await arrive({ alphabet: 'latin1' }, 'Ä [ok] @ £'.repeat(30))
    assert.deepEqual([latin.message.text, latin.message.submit.data_coding], ['Ä [ok] @ £'.repeat(30), 0])
    const euro = await arrive({ alphabet: 'latin1' }, '3 € '.repeat(17))
    assert.deepEqual([euro.message.text, euro.message.submit.data_coding], ['3 € '.repeat(17), 8])
  })

  test('a flash SMS has class 0 in both encodings', async () => {
    for (const [body, coding] of [
      ['Hello', 0x10],
      ['Olá', 0x18],
    ] as const) {
      const { message } = await arrive({}, body, 'flash_sms')
      assert.deepEqual([message.text, message.isFlash, message.submit.data_coding], [body, true, coding])
    }
  })

  test('long messages have different references', async () => {
    await using world = await openSmppWorld()
    const body = TEXTS['a long text']
    const attempts = Array.from({ length: 20 }, () => someAttempt({ ...toSegmentation(body), content: { body } }))
    await Promise.all(attempts.map((attempt) => world.provider.send(attempt, AbortSignal.timeout(30_000))))
    assert.equal(toMessages(world.smsc.submits.map(({ fields }) => fields)).length, 20)
  })
})
