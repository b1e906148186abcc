/** What a sender is told of a text, held against what a real connection brings to an SMSC. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { anyText } from '../../../test/support/gsm-texts.ts'
import { openSmppWorld, type SmppWorld } from '../../../test/support/smpp-world.ts'
import { toMessages } from '../../../test/support/smsc-messages.ts'
import { parseSmsBody, type SmsBody } from '../../domain/message/sms-body.ts'
import { someAttempt } from '../../ports/provider.contract.ts'
import type { SubmitFields } from './pdu.ts'
import type { Settings } from './settings.ts'

const PATIENT = (): AbortSignal => AbortSignal.timeout(60_000)

function bodyOf(text: string): SmsBody {
  const body = parseSmsBody(text)
  assert.ok(typeof body !== 'string')
  return body
}

const anyBody = anyText.map((text) => parseSmsBody(text)).filter((body): body is SmsBody => typeof body !== 'string')

async function submit({ provider, smsc }: SmppWorld, body: SmsBody) {
  const before = smsc.submits.length
  const { text, encoding, segments } = body
  const outcome = await provider.send(someAttempt({ encoding, segments, content: { body: text } }), PATIENT())
  return { outcome, submits: smsc.submits.slice(before).map(({ fields }) => fields) }
}

/** On the air: septets are packed, and begin at a septet boundary after the header. */
function octetsOnAir(
  { short_message: octets, esm_class: esm, data_coding: coding }: SubmitFields,
  sar: boolean,
): number {
  const header = sar ? 6 : esm & 0x40 ? (octets[0] ?? 0) + 1 : 0
  const text = sar ? octets.length : octets.length - header
  return coding === 0x08 ? header + text : Math.ceil(((Math.ceil((header * 8) / 7) + text) * 7) / 8)
}

describe('S3-SEG the parts that are told are the parts that are sent', { timeout: 240_000 }, () => {
  for (const long_messages of ['udh', 'sar'] as const) {
    test(`of any text, by ${long_messages}, and each fits into 140 octets`, async () => {
      await using world = await openSmppWorld({ settings: { long_messages } })
      await fc.assert(
        fc.asyncProperty(anyBody, async (body) => {
          const { outcome, submits } = await submit(world, body)
          assert.equal(outcome.kind, 'accepted')
          assert.equal(submits.length, body.segments)
          for (const fields of submits) {
            assert.ok(octetsOnAir(fields, long_messages === 'sar' && submits.length > 1) <= 140)
          }
          assert.deepEqual(
            toMessages(submits).map(({ text }) => text),
            [body.text],
          )
        }),
        { numRuns: 150 },
      )
    })

    for (const [what, text, segments] of [
      ['306 septets', 'a'.repeat(306), 2],
      ['134 units of UCS-2', 'я'.repeat(134), 2],
      ['1600 septets', 'a'.repeat(1600), 11],
      ['1600 units of UCS-2', 'я'.repeat(1600), 24],
    ] as const) {
      test(`of ${what}, by ${long_messages}: ${segments}`, async () => {
        await using world = await openSmppWorld({ settings: { long_messages } })
        const body = bodyOf(text)
        const { submits } = await submit(world, body)
        assert.deepEqual([body.segments, submits.length], [segments, segments])
      })
    }
  }

  test('an SMSC that splits itself gets any text in one piece', async () => {
    await using world = await openSmppWorld({ settings: { long_messages: 'payload' } })
    for (const text of ['a'.repeat(160), 'a'.repeat(306), 'я'.repeat(1600)]) {
      const { submits } = await submit(world, bodyOf(text))
      assert.deepEqual(
        toMessages(submits).map((message) => message.text),
        [text],
      )
      assert.equal(submits.length, 1)
    }
  })

  test('of any text for an SMSC with Latin-1, or it is left to another provider', async () => {
    const settings: Partial<Settings> = { alphabet: 'latin1' }
    await using world = await openSmppWorld({ settings })
    await fc.assert(
      fc.asyncProperty(anyBody, async (body) => {
        const { outcome, submits } = await submit(world, body)
        if (outcome.kind === 'accepted') {
          assert.equal(submits.length, body.segments)
          assert.equal(toMessages(submits, 'latin1')[0]?.text, body.text)
          return
        }
        assert.ok(outcome.kind === 'rejected' && outcome.blame === 'provider')
        assert.deepEqual([outcome.code, submits.length], ['INVALID_DATA_CODING', 0])
        assert.ok(body.encoding === 'gsm7' && [...body.text].some((character) => character > '\u00ff'))
      }),
      { numRuns: 150 },
    )
  })

  test('by two providers at once, one of each kind', async () => {
    await using one = await openSmppWorld({ settings: { long_messages: 'udh' } })
    await using other = await openSmppWorld({ settings: { long_messages: 'sar' } })
    const body = bodyOf(`${'a'.repeat(152)}€${'a'.repeat(151)}`)
    const sent = await Promise.all([one, other].map((world) => submit(world, body)))
    assert.deepEqual(
      sent.map(({ submits }) => submits.length),
      [body.segments, body.segments],
    )
  })
})

describe('references of long messages', { timeout: 120_000 }, () => {
  for (const long_messages of ['udh', 'sar'] as const) {
    test(`none is shared by 256 messages to one phone at the same time (${long_messages})`, async () => {
      await using world = await openSmppWorld({ settings: { long_messages, window: 100 } })
      const body = bodyOf('Seu codigo chegou. '.repeat(12))
      const others = [0, 1, 2].map((n) => ({ to: `+1555000000${n}` as never }))
      const contents = Array.from({ length: 256 }, () => [{}, ...others]).flat()
      const sent = contents.map((content) =>
        world.provider.send(
          someAttempt({ segments: body.segments, content: { body: body.text, ...content } }),
          PATIENT(),
        ),
      )
      const outcomes = await Promise.all(sent)
      assert.ok(outcomes.every(({ kind }) => kind === 'accepted'))
      assert.equal(world.smsc.messages.length, contents.length)
      for (const { fields } of world.smsc.submits) assert.ok((fields.sar_msg_ref_num ?? 0) <= 0xff)
    })
  }
})
