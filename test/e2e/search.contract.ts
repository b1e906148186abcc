/** One search for everything: each kind of text that is pasted into it, through HTTP. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Gateway } from '../support/gateway.ts'
import type { ShareGateway } from '../support/shared-gateway.ts'
import { freshNumber, magic, type Page, untilIndexed, untilStatus } from '../support/sms.ts'

type Report = Readonly<{ found_by: string | null; tried: readonly string[] }>
type FoundPage = Page & Readonly<{ search: Report | null }>
type Batch = Readonly<{ batch_id: string; results: readonly Readonly<{ id: string }>[] }>

export async function searchContract(share: ShareGateway): Promise<void> {
  const gateway = await share({ receiptDelayMs: 20 })

  async function find(q: string, by: Gateway = gateway, more: object = {}): Promise<FoundPage> {
    const path = `/v1/messages?${new URLSearchParams({ q, ...more })}`
    const { status, body, text } = await by.call<FoundPage>('GET', path)
    assert.equal(status, 200, text)
    return body
  }
  const idsOf = ({ items }: FoundPage): readonly string[] => items.map(({ id }) => id)

  async function post<Body>(path: string, fields: object, status = 202): Promise<Body> {
    const answer = await gateway.call<Body>('POST', path, fields)
    assert.equal(answer.status, status, answer.text)
    return answer.body
  }

  const unique = (name: string): string => `${name}-${randomUUID()}`

  /** A delivered SMS of a batch, a mail with a copy, and a code that fails. */
  async function openMessages() {
    const [template, batch, tag, order] = [unique('t'), unique('b').slice(0, 60), unique('tag'), unique('A')]
    const keys = [unique('sms'), unique('mail'), unique('code')] as const
    const [phone, mailbox, copied] = [freshNumber(), `${unique('ana')}@example.com`, `${unique('rui')}@example.com`]
    await post('/v1/templates', { name: template, channel: 'sms', text: 'Hi' }, 201)
    const item = { to: phone, template: { name: template }, idempotency_key: keys[0], tags: [tag], metadata: { order } }
    const { batch_id, results } = await post<Batch>('/v1/messages/batch', { batch_id: batch, items: [item] }, 200)
    assert.equal(batch_id, batch)
    const sms = results[0]?.id ?? ''
    const word = `w${randomUUID().slice(0, 8)}`
    const mail = { to: mailbox, cc: [copied], subject: `Blue ${word}`, html: '<p>x</p>', idempotency_key: keys[1] }
    const { request_id: email } = await post<{ request_id: string }>('/v1/email/send', mail)
    const otp = { to: magic('0001'), idempotency_key: keys[2] }
    const { request_id: code, challenge_id: challenge } = await post<{ request_id: string; challenge_id: string }>(
      '/v1/otp/generate',
      otp,
    )
    await untilStatus(gateway, sms, 'delivered')
    await untilStatus(gateway, email, 'delivered')
    await untilStatus(gateway, code, 'failed')
    await untilIndexed(gateway)
    return { template, batch, tag, order, keys, phone, mailbox, copied, sms, word, email, code, challenge }
  }

  test('finds a message by whatever of it is pasted', async () => {
    const opened = await openMessages()
    const { sms, email, code, keys } = opened
    const [row] = (await find(sms)).items
    assert.deepEqual([row?.template, row?.batch_id, row?.subject], [opened.template, opened.batch, null])
    assert.deepEqual([row?.country, row?.calling_code], ['US', '1'])
    const phone = `${opened.phone.slice(0, 2)} (${opened.phone.slice(2, 5)}) ${opened.phone.slice(5, 8)}-${opened.phone.slice(8)}`
    for (const [q, id, by] of [
      [sms, sms, 'message_id'],
      [sms.slice(0, 8), sms, 'message_id'],
      [email.replaceAll('-', '').slice(0, 20).toUpperCase(), email, 'message_id'],
      [opened.challenge, code, 'message_id'],
      [opened.phone, sms, 'recipient'],
      [phone, sms, 'recipient'],
      [`00${opened.phone.slice(1)}`, sms, 'recipient'],
      [` ${opened.phone.slice(1)}`, sms, 'recipient'],
      [opened.mailbox, email, 'recipient'],
      [opened.copied, email, 'recipient'],
      [String(row?.provider_message_id), sms, 'provider_message_id'],
      [keys[0], sms, 'idempotency_key'],
      [keys[1], email, 'idempotency_key'],
      [keys[2], code, 'idempotency_key'],
      [opened.batch, sms, 'batch'],
      [opened.template, sms, 'template'],
      [opened.tag, sms, 'tag'],
      [`order:${opened.order}`, sms, 'metadata'],
      [`blue ${opened.word.slice(0, 7)}`, email, 'words'],
      [`to:${opened.phone} status:delivered tag:${opened.tag}`, sms, 'filters'],
      [`id:${code} error:INVALID_NUMBER`, code, 'filters'],
      [`channel:email ${opened.word}`, email, 'filters'],
    ] as const) {
      const found = await find(q)
      assert.deepEqual([idsOf(found), found.search?.found_by], [[id], by], by)
    }
    const failed = await find('INVALID_NUMBER')
    assert.ok(idsOf(failed).includes(code))
    assert.equal(failed.search?.found_by, 'error_code')
    const filters = [{ batch: opened.batch }, { template: opened.template }, { error_code: 'INVALID_NUMBER' }]
    assert.deepEqual(
      await Promise.all(
        filters.map(async (filter) => {
          const { body } = await gateway.call<Page>('GET', `/v1/messages?${new URLSearchParams(filter)}`)
          return body.items.map(({ id }) => id).filter((id) => [sms, email, code].includes(id))
        }),
      ),
      [[sms], [sms], [code]],
    )
  })

  test('finds nothing of another tenant, no key of another account, and nothing personal after erasure', async () => {
    const opened = await openMessages()
    const { sms, email, keys } = opened
    const [stranger, colleague] = [await gateway.of('stranger'), await gateway.of('demo', 'side')]
    const personal = [opened.phone, opened.mailbox, opened.copied, opened.tag, `order:${opened.order}`, opened.word]
    const [row] = (await find(sms)).items
    const others = [sms, sms.slice(0, 8), keys[0], opened.batch, opened.template, String(row?.provider_message_id)]
    for (const q of [...personal, ...others]) {
      const found = await find(q, stranger)
      assert.deepEqual([idsOf(found), found.search?.found_by], [[], null])
    }
    assert.deepEqual([idsOf(await find(keys[0], colleague)), idsOf(await find(sms, colleague))], [[], [sms]])

    for (const id of [sms, email]) await post(`/v1/messages/${id}/erase`, {}, 200)
    await untilIndexed(gateway)
    for (const q of personal) assert.deepEqual(idsOf(await find(q)), [])
    for (const q of others) assert.deepEqual(idsOf(await find(q)), [sms])
  })

  test('pages through what the first page was found by', async () => {
    const [batch, ids] = [unique('b').slice(0, 60), new Set<string>()]
    for (const part of [0, 1]) {
      const items = [0, 1, 2].map((nth) => ({
        to: freshNumber(),
        message: 'x',
        idempotency_key: `${batch}-${part}-${nth}`,
      }))
      const { results } = await post<Batch>('/v1/messages/batch', { batch_id: batch, items }, 200)
      for (const { id } of results) ids.add(id)
    }
    await untilIndexed(gateway)
    const found: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: FoundPage = await find(batch, gateway, { limit: '4', ...(cursor === '' ? {} : { cursor }) })
      assert.equal(page.search?.found_by, 'batch')
      found.push(...idsOf(page))
      cursor = page.next_cursor
    }
    assert.deepEqual([found.length, new Set(found)], [6, ids])
    const { status } = await gateway.call('GET', `/v1/messages?q=${batch}&cursor=recipient~x`)
    assert.equal(status, 400)
  })
}
