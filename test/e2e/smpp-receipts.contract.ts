/** Receipts of an SMSC: per part, early, duplicated, in other formats, and on any session. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshNumber, kindsOf, post, send, show, someSms, untilStatus } from '../support/sms.ts'
import { toMessages } from '../support/smsc-messages.ts'
import type { SmppSite } from './smpp.contract.ts'
import { PATIENT, submitsTo } from './smpp-carriers.fixture.ts'

const FLASH = { type: 'flash_sms' }
const LONG = 'Olá 👋🏽 o seu pedido saiu para entrega 📦 e chega hoje. '.repeat(3).trim()
const DELIVERED = ['MessageCreated', 'HandoffAttempted', 'HandoffAccepted', 'ProviderDelivered']

export function smppReceiptsContract({ site: { gateway }, carriers }: SmppSite): void {
  const { plain, hasty, hex, decimal } = carriers

  /** Sends a text of several parts and returns their SMSC message ids. */
  async function sendLong(to: string): Promise<Readonly<{ id: string; names: readonly string[] }>> {
    const id = await send(gateway, { to, sender_id: 'plain', message: LONG })
    await untilStatus(gateway, id, 'sent', PATIENT)
    const names = submitsTo(plain, to).map((submit) => submit.id)
    assert.equal(names.length, 3)
    return { id, names }
  }

  test('a receipt delivers the message, which shows its SMSC message id', async () => {
    const to = freshNumber()
    const id = await send(gateway, { to, sender_id: 'plain', message: 'It costs 5 € [all in].' })
    await untilStatus(gateway, id, 'sent', PATIENT)
    const submits = submitsTo(plain, to)
    const [{ text, from, isFlash } = {}] = toMessages(submits.map(({ fields }) => fields))
    assert.deepEqual([submits.length, text, from, isFlash], [1, 'It costs 5 € [all in].', 'plain', false])
    const name = submits[0]?.id ?? ''
    assert.equal(await plain.report(name), 0)
    const message = await show(gateway, id)
    assert.deepEqual([message.status, message.provider, message.provider_message_id], ['delivered', 'plain', name])
    assert.deepEqual(kindsOf(message), DELIVERED)
  })

  test('a long text with emoji arrives complete, and is delivered when all its parts are', async () => {
    const to = freshNumber()
    const { id, names } = await sendLong(to)
    const [whole] = toMessages(submitsTo(plain, to).map(({ fields }) => fields))
    assert.deepEqual([whole?.text, whole?.parts], [LONG, 3])
    for (const [index, name] of names.entries()) {
      assert.equal((await show(gateway, id)).status, 'sent', `before part ${index + 1}`)
      assert.equal(await plain.report(name, 'DELIVRD', index), 0)
    }
    const { status, provider_message_id: shown } = await show(gateway, id)
    assert.deepEqual([status, shown], ['delivered', names[0]])
  })

  test('the response has the number of submitted segments', async () => {
    for (const message of [
      'a'.repeat(306),
      'я'.repeat(134),
      'я'.repeat(1600),
      `${'a'.repeat(152)}€${'a'.repeat(152)}`,
    ]) {
      const to = freshNumber()
      const { body } = await post(gateway, someSms({ to, sender_id: 'plain', message }))
      await untilStatus(gateway, body.request_id, 'sent', PATIENT)
      assert.equal(submitsTo(plain, to).length, body.segments)
    }
  })

  test('a long text fails when one of its parts is dropped', async () => {
    const { id, names } = await sendLong(freshNumber())
    for (const [index, stat] of ['DELIVRD', 'UNDELIV', 'DELIVRD'].entries()) {
      assert.equal(await plain.report(names[index] ?? '', stat, index), 0)
    }
    const message = await show(gateway, id)
    assert.deepEqual([message.status, message.provider_state, message.attempts], ['failed', 'dropped', 1])
  })

  test('a flash message has class 0', async () => {
    const to = freshNumber()
    const { body } = await post(gateway, { ...someSms({ to, sender_id: 'plain' }), ...FLASH })
    await untilStatus(gateway, body.request_id, 'sent', PATIENT)
    const [flash] = toMessages(submitsTo(plain, to).map(({ fields }) => fields))
    assert.deepEqual([flash?.isFlash, flash?.text], [true, someSms().message])
  })

  test('duplicated receipts before the answer deliver once', async () => {
    const all = Array.from({ length: 20 }, () => freshNumber())
    const ids = await Promise.all(all.map((to) => send(gateway, { to, sender_id: 'hasty' })))
    for (const [index, id] of ids.entries()) {
      const message = await untilStatus(gateway, id, 'delivered', PATIENT)
      assert.deepEqual(kindsOf(message), DELIVERED)
      const submits = submitsTo(hasty, all[index] ?? '')
      assert.deepEqual([message.provider_message_id], [submits[0]?.id])
      assert.equal(submits.length, 1)
    }
    assert.deepEqual(new Set(hasty.acknowledged), new Set([0]))
  })

  for (const [sender, smsc] of Object.entries({ hex, decimal })) {
    test(`receipts are matched if the SMSC answers in ${sender} and reports in another base`, async () => {
      const to = freshNumber()
      const id = await send(gateway, { to, sender_id: sender })
      const message = await untilStatus(gateway, id, 'delivered', PATIENT)
      const given = BigInt(`${sender === 'hex' ? '0x' : ''}${submitsTo(smsc, to)[0]?.id}`)
      assert.equal(BigInt(message.provider_message_id ?? ''), given)
    })
  }
}
