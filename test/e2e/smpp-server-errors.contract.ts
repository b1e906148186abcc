/** What SMPP clients are refused, and with which status; how sessions begin and end. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bindClient, createLogin, type SmppClient, type SmppLogin, toSubmit } from '../support/smpp-client.ts'
import { withHeader } from '../support/smpp-octets.ts'
import { freshNumber } from '../support/sms.ts'
import { until } from '../support/until.ts'
import type { Pair } from './api-keys.contract.ts'

const REFUSED: readonly (readonly [name: string, fields: object, status: number])[] = [
  ['a destination that is no number', { destination_addr: '12ab' }, 0x0b],
  ['a national destination', { dest_addr_ton: 2 }, 0x50],
  ['an impossible sender', { source_addr_ton: 5, source_addr: '<script>' }, 0x0a],
  ['an empty text', { short_message: Buffer.alloc(0) }, 0x01],
  ['a text that is too long', { short_message: Buffer.alloc(0), message_payload: Buffer.alloc(1_601, 0x41) }, 0x01],
  ['binary data', { data_coding: 4 }, 0x104],
  ['an unknown alphabet', { data_coding: 5 }, 0x104],
  ['octets that are not in the alphabet', { data_coding: 0, short_message: Buffer.of(0xe9) }, 0x104],
  ['a schedule', { schedule_delivery_time: '000000000500000R' }, 0x61],
  ['a validity period that is no time', { validity_period: 'tomorrow' }, 0x62],
  ['a validity period that is over', { validity_period: '200101000000000+' }, 0x62],
  ['a canned message', { sm_default_msg_id: 1 }, 0x63],
  ['an acknowledgement', { esm_class: 0x08 }, 0x43],
  ['a header about ports', { esm_class: 0x40, short_message: Buffer.of(6, 5, 4, 1, 2, 3, 4, 65) }, 0x43],
  ['a header that is longer than the message', { esm_class: 0x40, short_message: Buffer.of(200, 0, 3) }, 0x43],
  ['a part that is none of its message', withHeader(1, 2, 3, Buffer.from('part')), 0x43],
  ['half of the sar parameters', { sar_msg_ref_num: 1 }, 0x43],
]

export function smppErrorsContract({ one }: Pair, login: SmppLogin, port: number, Client: typeof SmppClient): void {
  const bind = (more: object = {}): Promise<SmppClient> => bindClient({ port, ...login, ...more })

  describe('refusals', () => {
    for (const [name, fields, status] of REFUSED) {
      test(`${name} is answered with ${status.toString(16)}`, async () => {
        await using client = await bind()
        const answer = await client.request('submit_sm', { ...toSubmit(freshNumber(), 'text'), ...fields })
        assert.equal(answer.command_status, status)
        await client.submit(freshNumber(), 'the session goes on')
      })
    }

    test('a limit that is reached is answered with ESME_RTHROTTLED', async () => {
      const account = await createLogin(one, { account_id: 'limited' })
      const limit = { limit: 2, window_seconds: 3_600, algorithm: 'fixed' }
      const { status, text } = await one.call('PUT', '/v1/limits/account/limited', limit)
      assert.ok(status < 300, text)
      await using client = await bindClient({ port, ...account })
      const statuses = await Promise.all(
        [1, 2, 3, 4].map(
          async () => (await client.request('submit_sm', toSubmit(freshNumber(), 'text'))).command_status,
        ),
      )
      assert.deepEqual(
        statuses.toSorted((a, b) => a - b),
        [0, 0, 0x58, 0x58],
      )
    })
  })

  describe('sessions', () => {
    const statusOfBind = async (options: object): Promise<number> => {
      await using client = new Client({ port, ...login, ...options })
      return await client.bind()
    }

    test('are bound with the secret of an API key, the whole key, or its short password', async () => {
      const { status, body } = await one.call<Readonly<Record<'id' | 'key' | 'smpp_password', string>>>(
        'POST',
        '/v1/api-keys',
        { name: 'Short', scopes: ['sms:send'], mode: 'test' },
      )
      assert.equal(status, 201)
      assert.match(body.smpp_password, /^[0-9A-Za-z]{8}$/)
      for (const password of [body.key.slice(-40), body.key, body.smpp_password]) {
        assert.equal(await statusOfBind({ system_id: body.id, password }), 0)
      }
      assert.equal(await statusOfBind({ system_id: body.id, password: body.smpp_password.toLowerCase() }), 0x0e)
    })

    test('are refused with a wrong password, without the scope, and from other networks', async () => {
      assert.equal(await statusOfBind({ password: 'a'.repeat(40) }), 0x0e)
      assert.equal(await statusOfBind({ system_id: 'nobody' }), 0x0e)
      assert.equal(await statusOfBind(await createLogin(one, { scopes: ['messages:read'] })), 0x0d)
      assert.equal(await statusOfBind(await createLogin(one, { networks: ['203.0.113.0/24'] })), 0x0d)
    })

    test('guessing is slowed down for the key that is guessed', async () => {
      const guessed = await createLogin(one)
      const statuses: number[] = []
      for (let nth = 0; nth < 11; nth += 1) statuses.push(await statusOfBind({ ...guessed, password: `guess${nth}` }))
      assert.equal(statuses.at(-1), 0x0d)
      assert.equal(await statusOfBind(guessed), 0x0d)
    })

    test('ask for a bind first, and once', async () => {
      await using receiver = await bind({ bind: 'bind_receiver' })
      assert.equal((await receiver.request('submit_sm', toSubmit(freshNumber(), 'no'))).command_status, 0x04)
      assert.equal((await receiver.request('bind_receiver', login)).command_status, 0x05)
      assert.equal((await receiver.request('enquire_link')).command_status, 0)
      assert.equal((await receiver.request('unbind')).command_status, 0)
      await until('the end', () => receiver.closed)
    })

    test('end within seconds of their key', async () => {
      const { id, ...account } = await createLogin(one)
      await using client = await bindClient({ port, ...account })
      assert.equal((await one.call('DELETE', `/v1/api-keys/${id}`)).status, 204)
      await until('the end', () => client.unbound && client.closed, { withinMs: 5_000 })
      assert.equal(await statusOfBind(account), 0x0d)
    })

    test('pipeline more requests than their window: all are answered', async () => {
      await using client = await bind()
      const ids = await Promise.all(Array.from({ length: 200 }, () => client.submit(freshNumber(), 'one of many')))
      assert.equal(new Set(ids).size, 200)
    })
  })
}
