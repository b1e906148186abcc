/** Short messages from SMPP clients: the same at every process of an installation, with a client of the package `smpp`. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  bindClient,
  SmppClient as Client,
  createLogin,
  type SmppClient,
  smppPortOf,
  toSubmit,
} from '../support/smpp-client.ts'
import { withHeader } from '../support/smpp-octets.ts'
import { freshNumber, inboxOf, magic, show, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'
import type { Pair } from './api-keys.contract.ts'
import { smppErrorsContract } from './smpp-server-errors.contract.ts'
import { smppHostileContract } from './smpp-server-hostile.contract.ts'
import { smppKannelContract } from './smpp-server-kannel.contract.ts'

export const SMPP_ENV = {
  POMBO_SMPP_PORT: '0',
  POMBO_LOG_LEVEL: 'info',
  POMBO_SMPP_SHORT_PASSWORDS: 'true',
  POMBO_SMPP_JOIN_SECONDS: '10',
  POMBO_SMPP_ANSWER_SECONDS: '2',
  POMBO_SMPP_WINDOW: '10',
}

const RECEIPT = { registered_delivery: 1 }
const TAKEN = /^id:(\S+) sub:001 dlvrd:001 submit date:(\d{10}) done date:(\d{10}) stat:DELIVRD err:000 text:$/

export async function smppServerContract(pair: Pair): Promise<void> {
  const { one, other } = pair
  const login = await createLogin(one)
  const [port, otherPort] = [await smppPortOf(one), await smppPortOf(other)]
  const bind = (more: object = {}): Promise<SmppClient> => bindClient({ port, ...login, ...more })
  const body = async (to: string): Promise<string | undefined> => (await inboxOf(one, to))[0]?.body

  describe('submit_sm', () => {
    test('is answered with the id of a message that is delivered, and a receipt follows', async () => {
      await using client = await bind()
      const to = freshNumber()
      const source = { source_addr_ton: 5, source_addr: 'Acme' }
      const id = await client.submit(to, 'Your parcel is on its way.', { ...RECEIPT, ...source, priority_flag: 1 })
      const message = await untilStatus(one, id, 'delivered')
      assert.deepEqual([message.lane, await body(to)], ['transactional', 'Your parcel is on its way.'])
      const { text, fields } = await client.receiptOf(id)
      assert.match(text, TAKEN)
      assert.deepEqual(
        [fields['esm_class'], fields['source_addr'], fields['destination_addr'], fields['dest_addr_ton']],
        [4, to.slice(1), 'Acme', 5],
      )
      assert.deepEqual([fields['receipted_message_id'], fields['message_state']], [id, 2])
    })

    const UCS2 = Buffer.from('Привет 🎉', 'utf16le').swap16()
    for (const [name, fields, expected] of [
      ['GSM 03.38', { data_coding: 0, short_message: Buffer.of(0x02, 0x35, 0x1b, 0x65, 0x11, 0x7f) }, '$5€_à'],
      ['ASCII', { data_coding: 1, short_message: Buffer.from('plain') }, 'plain'],
      ['Latin-1', { data_coding: 3, short_message: Buffer.from('Olá', 'latin1') }, 'Olá'],
      ['UCS-2', { data_coding: 8, short_message: UCS2 }, 'Привет 🎉'],
      [
        'message_payload',
        { short_message: Buffer.alloc(0), message_payload: Buffer.from('y'.repeat(300)) },
        'y'.repeat(300),
      ],
    ] as const) {
      test(`takes texts in ${name}`, async () => {
        await using client = await bind({ bind: 'bind_transmitter' })
        const to = freshNumber()
        const id = await client.submit(to, '', fields)
        await untilStatus(one, id, 'delivered')
        assert.equal(await body(to), expected)
      })
    }

    test('of class 0 is a flash SMS, and one with a validity period expires', async () => {
      await using client = await bind()
      const id = await client.submit(freshNumber(), 'Look!', { data_coding: 0xf0, validity_period: '000000000500000R' })
      const { type, expires_at: expiresAt, created_at: createdAt } = await show(one, id)
      assert.equal(type, 'flash_sms')
      const seconds = (Date.parse(expiresAt ?? '') - Date.parse(createdAt)) / 1000
      assert.ok(seconds > 290 && seconds <= 301, String(seconds))
    })

    test('a failure is reported, also to those who want only failures', async () => {
      await using client = await bind()
      const [fine, failed] = [
        await client.submit(freshNumber(), 'fine', { registered_delivery: 2 }),
        await client.submit(magic('0001'), 'not fine', { registered_delivery: 2 }),
      ]
      const { text, fields } = await client.receiptOf(failed)
      assert.match(text, /stat:REJECTD err:003 text:$/)
      assert.equal(fields['message_state'], 8)
      await untilStatus(one, fine, 'delivered')
      assert.ok(client.receipts.every((receipt) => !receipt.text.includes(fine)))
    })

    test('an intermediate notification comes before the receipt', async () => {
      await using client = await bind()
      const id = await client.submit(freshNumber(), 'two receipts', { registered_delivery: 0x11 })
      await until('the receipt', () => client.receipts.some(({ text }) => text.includes('stat:DELIVRD')))
      const kinds = client.receipts.filter(({ text }) => text.includes(id)).map(({ fields }) => fields['esm_class'])
      assert.equal(kinds.at(-1), 4)
      assert.ok(kinds.length === 1 || kinds[0] === 0x20, kinds.join())
    })
  })

  describe('parts of a long message', () => {
    const texts = ['The first part, ', 'the second, ', 'and the third.']

    test('are joined by their headers, whatever session, process and order they come in', async () => {
      await using client = await bind()
      await using elsewhere = await bindClient({ port: otherPort, ...login })
      const to = freshNumber()
      const send = (from: SmppClient, number: number) =>
        from.submit(to, '', { ...RECEIPT, ...withHeader(77, 3, number, Buffer.from(texts[number - 1] ?? '')) })
      const third = await send(client, 3)
      const first = await send(elsewhere, 1)
      const again = await send(client, 1)
      const second = await send(client, 2)
      assert.deepEqual([again, second, third], [first, `${first}-2`, `${first}-3`])
      const { segments } = await untilStatus(one, first, 'delivered')
      assert.deepEqual([segments, await body(to)], [1, texts.join('')])
      const all = [first, second, third]
      await until('three receipts', () => all.every((id) => [client, elsewhere].some((has) => hasReceipt(has, id))))
      assert.equal(await send(elsewhere, 2), second, 'a part that is sent again gets the same answer')
      assert.equal((await inboxOf(one, to)).length, 1)
    })

    test('are joined by sar parameters, also where a character is cut', async () => {
      await using client = await bind()
      const to = freshNumber()
      const octets = Buffer.from('🎉🎉', 'utf16le').swap16()
      const send = (number: number) =>
        client.submit(to, '', {
          data_coding: 8,
          short_message: number === 1 ? octets.subarray(0, 2) : octets.subarray(2),
          ...{ sar_msg_ref_num: 4711, sar_total_segments: 2, sar_segment_seqnum: number },
        })
      const id = await send(1)
      await send(2)
      await untilStatus(one, id, 'delivered')
      assert.equal(await body(to), '🎉🎉')
    })

    test('that stay alone expire, and nothing is sent', async () => {
      await using client = await bind()
      const to = freshNumber()
      const id = await client.submit(to, '', { ...RECEIPT, ...withHeader(5, 2, 2, Buffer.from('alone')) })
      const { text } = await until(
        'its receipt',
        () => client.receipts.find((receipt) => receipt.text.startsWith(`id:${id} `)),
        { withinMs: 40_000 },
      )
      assert.match(text, /stat:EXPIRED/)
      assert.deepEqual(await inboxOf(one, to), [])
    })
  })

  describe('receipts', () => {
    test('wait until a receiver binds, at any process', async () => {
      const account = await createLogin(one, { account_id: 'waiting' })
      let id = ''
      {
        await using sender = await bindClient({ port, ...account, bind: 'bind_transmitter' })
        id = await sender.submit(freshNumber(), 'no receiver yet', RECEIPT)
        await until(
          'its delivery',
          async () => (await sender.request('query_sm', { message_id: id }))['message_state'] === 2,
        )
      }
      await using receiver = await bindClient({ port: otherPort, ...account, bind: 'bind_receiver' })
      assert.match((await receiver.receiptOf(id)).text, TAKEN)
    })

    test('are sent again until they are answered, to another receiver if the first is gone', async () => {
      const account = await createLogin(one, { account_id: 'silent' })
      await using silent = await bindClient({ port, ...account, answer: () => undefined })
      const id = await silent.submit(freshNumber(), 'answered late', RECEIPT)
      await silent.receiptOf(id)
      silent.destroy()
      await using receiver = await bindClient({ port: otherPort, ...account })
      await until('the receipt', () => hasReceipt(receiver, id), { withinMs: 60_000, everyMs: 100 })
    })
  })

  describe('other requests', () => {
    test('submit_multi sends a message to each destination, and tells which are refused', async () => {
      await using client = await bind()
      const [first, second] = [freshNumber(), freshNumber()]
      const addresses = [first, '0', second].map((to) => ({
        dest_addr_ton: 1,
        dest_addr_npi: 1,
        destination_addr: to.replace('+', ''),
      }))
      const { dest_addr_ton: _, dest_addr_npi: __, destination_addr: ___, ...rest } = toSubmit('', 'To all of you.')
      const answer = await client.request('submit_multi', { ...rest, ...RECEIPT, dest_address: addresses })
      assert.equal(answer.command_status, 0)
      const refused = answer['unsuccess_sme'] as readonly Readonly<{
        destination_addr: string
        error_status_code: number
      }>[]
      assert.deepEqual(
        refused.map(({ destination_addr: to, error_status_code: code }) => [to, code]),
        [['0', 0x0b]],
      )
      const id = String(answer['message_id'])
      await until(
        'both receipts',
        () => client.receipts.filter(({ text }) => text.startsWith(`id:${id} `)).length === 2,
      )
      assert.deepEqual(
        client.receipts.map(({ fields }) => `+${fields['source_addr']}`).toSorted(),
        [first, second].toSorted(),
      )
    })

    test('data_sm sends a message', async () => {
      await using client = await bind()
      const to = freshNumber()
      const { short_message: payload, ...fields } = toSubmit(to, 'By data_sm.')
      const answer = await client.request('data_sm', { ...fields, message_payload: payload })
      assert.equal(answer.command_status, 0)
      await untilStatus(one, String(answer['message_id']), 'delivered')
      assert.equal(await body(to), 'By data_sm.')
    })

    test('query_sm tells the state of own messages only; cancel_sm comes too late', async () => {
      await using client = await bind()
      const id = await client.submit(freshNumber(), 'Where is it?')
      await untilStatus(one, id, 'delivered')
      const found = await client.request('query_sm', { message_id: id })
      assert.deepEqual([found.command_status, found['message_id'], found['message_state']], [0, id, 2])
      assert.match(String(found['final_date']), /^\d{13}00\+$/)
      assert.equal((await client.request('cancel_sm', { message_id: id })).command_status, 0x11)
      await using stranger = await bindClient({ port, ...(await createLogin(one, { account_id: 'stranger' })) })
      assert.equal((await stranger.request('query_sm', { message_id: id })).command_status, 0x67)
    })
  })

  smppErrorsContract(pair, login, port, Client)
  smppHostileContract(pair, login, port)
  smppKannelContract(pair, port)
}

const hasReceipt = ({ receipts }: SmppClient, id: string): boolean =>
  receipts.some(({ text }) => text.startsWith(`id:${id} `))
