/** Compares the promised number of segments with the parts that an SMSC receives over a real connection. */
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

const timeout = (): AbortSignal => AbortSignal.timeout(60_000)

function bodyOf(text: string): SmsBody {
  const body = parseSmsBody(text)
  assert.ok(typeof body !== 'string')
  return body
}

const anyBody = anyText.map((text) => parseSmsBody(text)).filter((body): body is SmsBody => typeof body !== 'string')

async function submit({ provider, smsc }: SmppWorld, body: SmsBody) {
  const before = smsc.submits.length
  const { text, encoding, segments } = body
  const outcome = await provider.send(someAttempt({ encoding, segments, content: { body: text } }), timeout())
  return { outcome, submits: smsc.submits.slice(before).map(({ fields }) => fields) }
}

/** The size on the air interface: septets are packed and start at a septet boundary after the header. */
function octetsOnAir(
  { short_message: octets, esm_class: esm, data_coding: coding }: SubmitFields,
  sar: boolean,
): number {
  const header = sar ? 6 : esm & 0x40 ? (octets[0] ?? 0) + 1 : 0
  const text = sar ? octets.length : octets.length - header
  return coding === 0x08 ? header + text : Math.ceil(((Math.ceil((header * 8) / 7) + text) * 7) / 8)
}

describe('S3-SEG the promised number of parts is sent', { timeout: 240_000 }, () => {
  for (const long_messages of ['udh', 'sar'] as const) {
    test(`for any text with ${long_messages}, each within 140 octets`, async () => {
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
      test(`for ${what} with ${long_messages}: ${segments}`, async () => {
        await using world = await openSmppWorld({ settings: { long_messages } })
        const body = bodyOf(text)
        const { submits } = await submit(world, body)
        assert.deepEqual([body.segments, submits.length], [segments, segments])
      })
    }
  }

  test('except with payload, which sends any text whole', async () => {
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

  test('for any text in Latin-1, or the message goes to another provider', async () => {
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

  test('by two providers with different methods', async () => {
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

describe('concatenation references', { timeout: 120_000 }, () => {
  for (const long_messages of ['udh', 'sar'] as const) {
    test(`are unique among 256 concurrent messages to one phone (${long_messages})`, async () => {
      await using world = await openSmppWorld({ settings: { long_messages, window: 100 } })
      const body = bodyOf('Seu codigo chegou. '.repeat(12))
      const others = [0, 1, 2].map((n) => ({ to: `+1555000000${n}` as never }))
      const contents = Array.from({ length: 256 }, () => [{}, ...others]).flat()
      const sent = contents.map((content) =>
        world.provider.send(
          someAttempt({ segments: body.segments, content: { body: body.text, ...content } }),
          timeout(),
        ),
      )
      const outcomes = await Promise.all(sent)
      assert.ok(outcomes.every(({ kind }) => kind === 'accepted'))
      assert.equal(world.smsc.messages.length, contents.length)
      for (const { fields } of world.smsc.submits) assert.ok((fields.sar_msg_ref_num ?? 0) <= 0xff)
    })
  }
})
