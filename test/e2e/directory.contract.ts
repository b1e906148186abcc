/** Messages to recipients of the directory with templates, over HTTP and up to the handset. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { Gateway } from '../support/gateway.ts'
import { type Accepted, freshNumber, inboxOf, magic, untilEvent, untilStatus } from '../support/sms.ts'

type Saved = Readonly<{ id: string; version: number }>
type Found = Readonly<{ items: readonly Saved[]; next_cursor: string | null }>

export function directoryContract(gateway: Gateway): void {
  async function save(path: string, fields: object): Promise<Saved> {
    const { status, body, text } = await gateway.call<Saved>('POST', path, fields)
    assert.equal(status, 201, text)
    return body
  }

  const post = (fields: object, key: string = randomUUID()) =>
    gateway.call<Accepted>('POST', '/v1/sms/send', { idempotency_key: key, ...fields })

  describe('a message that names a recipient and a template', () => {
    test("reaches the recipient's phone in their language", async () => {
      const [phone, externalId, name] = [freshNumber(), randomUUID(), `t-${randomUUID()}`]
      await save('/v1/recipients', { external_id: externalId, name: 'Ana Souza', phone, locale: 'pt-BR' })
      await save('/v1/templates', { name, channel: 'sms', text: 'Hi {{ name }}' })
      await save('/v1/templates', { name, channel: 'sms', locale: 'pt', text: 'Oi {{ name }}' })
      const { status, body } = await post({
        recipient_external_id: externalId,
        template: { name, data: { name: 'Ana' } },
      })
      assert.equal(status, 202)
      await untilStatus(gateway, body.request_id, 'delivered')
      assert.deepEqual(
        (await inboxOf(gateway, phone)).map((received) => received.body),
        ['Oi Ana'],
      )
    })

    test('repeats its first answer after both were deleted', async () => {
      const name = `t-${randomUUID()}`
      const { id } = await save('/v1/recipients', { phone: freshNumber() })
      await save('/v1/templates', { name, channel: 'sms', text: 'Hi' })
      const [fields, key] = [{ recipient_id: id, template: { name } }, randomUUID()]
      const first = await post(fields, key)
      await untilStatus(gateway, first.body.request_id, 'delivered')
      for (const path of [`/v1/recipients/${id}`, `/v1/templates/${name}`]) {
        assert.equal((await gateway.call('DELETE', path)).status, 204)
      }
      const again = await post(fields, key)
      assert.deepEqual([again.status, again.text], [202, first.text])
      assert.equal(again.headers.get('idempotent-replayed'), 'true')
    })

    test('is refused, field by field, if they do not exist', async () => {
      const { status, text } = await post({ recipient_external_id: randomUUID(), template: { name: 'no-such' } })
      assert.equal(status, 400)
      for (const path of ['/recipient_external_id', '/template/name']) assert.ok(text.includes(`"${path}"`), text)
    })
  })

  test('a message fails with a reason if its recipient is removed before it is sent', async () => {
    const { id } = await save('/v1/recipients', { phone: magic('0004') })
    const { body } = await post({ recipient_id: id, message: 'Hi' })
    await untilEvent(gateway, body.request_id, 'RetryScheduled')
    assert.equal((await gateway.call('DELETE', `/v1/recipients/${id}`)).status, 204)
    const message = await untilStatus(gateway, body.request_id, 'failed')
    assert.equal(message.error_code, 'RECIPIENT_NOT_FOUND')
  })

  test('of concurrent creations of one external id exactly one succeeds, and search finds it by word prefixes', async () => {
    const [externalId, word] = [randomUUID(), `w${randomUUID().slice(0, 8)}`]
    const fields = { external_id: externalId, name: `Zoë ${word}` }
    const answers = await Promise.all(Array.from({ length: 20 }, () => gateway.call('POST', '/v1/recipients', fields)))
    const counts = [201, 409].map((status) => answers.filter((answer) => answer.status === status).length)
    assert.deepEqual(counts, [1, 19])
    const { body } = await gateway.call<Found>('GET', `/v1/recipients?q=zoe%20${word.slice(0, 6)}`)
    assert.equal(body.items.length, 1)
  })

  test('versions saved concurrently all get their own number', async () => {
    const name = `t-${randomUUID()}`
    const texts = Array.from({ length: 10 }, (_, nth) => `text ${nth}`)
    const saved = await Promise.all(texts.map((text) => save('/v1/templates', { name, channel: 'sms', text })))
    const numbers = saved.map(({ version }) => version).toSorted((a, b) => a - b)
    assert.deepEqual(numbers, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    const { body } = await gateway.call<Found>('GET', `/v1/templates/${name}/versions`)
    assert.equal(body.items.length, 10)
  })

  test('a template that would run for too long gets 400, and the gateway keeps working', async () => {
    const text = '{% for i in (1..9000) %}{% for j in (1..9000) %}x{% endfor %}{% endfor %}'
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => gateway.call('POST', '/v1/templates/preview', { text })),
    )
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([400]))
    assert.equal((await gateway.call('GET', '/health/live')).status, 200)
  })
}
