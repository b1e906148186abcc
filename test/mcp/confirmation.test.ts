/** Nothing is sent for real unless a person has agreed, and a repeated call does not send twice. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, test } from 'node:test'
import type { ElicitRequest } from '@modelcontextprotocol/sdk/types.js'
import { freshNumber, inboxOf, magic, send, untilEvent, untilStatus } from '../support/sms.ts'
import { type Answer, type Connected, openSite, startHttp, YES } from './mcp-site.fixture.ts'

const SCOPES = ['sms:send', 'email:send', 'messages:read', 'messages:write']

const site = await openSite()
const key = await site.keyFor(SCOPES)
const http = await startHttp(site.gateway.url)

const asked: ElicitRequest['params'][] = []
let answer: Answer = YES
const assistant = await http.connect(key, (params) => {
  asked.push(params)
  return answer(params)
})
const mute = await http.connect(key)
after(async () => {
  await assistant[Symbol.asyncDispose]()
  await mute[Symbol.asyncDispose]()
})

/** What the question was, when it is answered like this. */
async function asking(how: Answer, act: () => ReturnType<Connected['call']>) {
  asked.length = 0
  answer = how
  const result = await act()
  return { ...result, question: asked.map(({ message }) => message).join('\n\n'), times: asked.length }
}

const sms = (to: string, more: object = {}) => ({ to, message: 'Your parcel is on its way', ...more })
const received = async (to: string): Promise<number> => (await inboxOf(site.gateway, to)).length

describe('sending for real', () => {
  test('asks a person, who sees to whom, how large and through which provider', async () => {
    const to = freshNumber()
    const { isError, data, question, times } = await asking(YES, () => assistant.call('send_sms', sms(to)))
    assert.deepEqual([isError, times, data['mode'], data['duplicate']], [false, 1, 'live', false])
    assert.match(question, /for real/)
    assert.match(question, new RegExp(`To: \\+\\*{7}${to.slice(-4)} \\(US\\)`))
    assert.match(
      question,
      /Size: 1 segment \(gsm7\)\nPombo would accept the message and send it by simulator at once\./,
    )
    await untilStatus(site.gateway, String(data['id']), 'delivered')
    assert.equal(await received(to), 1)
  })

  for (const [how, reply] of [
    ['declines', { action: 'decline' }],
    ['cancels', { action: 'cancel' }],
    ['accepts without ticking the box', { action: 'accept', content: { confirm: false } }],
  ] as const) {
    test(`sends nothing if the person ${how}`, async () => {
      const to = freshNumber()
      const { isError, text, times } = await asking(
        () => reply,
        () => assistant.call('send_sms', sms(to)),
      )
      assert.deepEqual([isError, times], [true, 1])
      assert.match(text, /Nothing was sent: the person did not confirm/)
      assert.equal(await received(to), 0)
    })
  }

  test('sends nothing if the client answers with something else, or fails', async () => {
    const to = freshNumber()
    const wrong: Answer = () => ({ action: 'accept', content: { confirm: 'yes' } })
    const broken: Answer = () => {
      throw new Error('no window')
    }
    for (const how of [wrong, broken, () => ({ action: 'accept' as const })]) {
      const { isError, text } = await asking(how, () => assistant.call('send_sms', sms(to)))
      assert.deepEqual([isError, /Nothing was sent/.test(text)], [true, true])
    }
    assert.equal(await received(to), 0)
  })

  test('sends nothing through a client that cannot ask', async () => {
    const to = freshNumber()
    const { isError, text } = await mute.call('send_sms', sms(to))
    assert.deepEqual([isError, /cannot ask for it/.test(text), /--allow-send/.test(text)], [true, true, true])
    assert.equal(await received(to), 0)
  })

  test('does not ask about a message that would be refused', async () => {
    const bad = await asking(YES, () => assistant.call('send_sms', sms('12')))
    assert.deepEqual([bad.isError, bad.times], [true, 0])
    assert.match(bad.text, /Nothing was sent.*phone number/)
    const mail = { to: 'ana@example.com', subject: 'Hello', html: '<script>1</script>' }
    const unsafe = await asking(YES, () => assistant.call('send_email', mail))
    assert.deepEqual([unsafe.isError, unsafe.times], [true, 0])
  })

  test('sends an email with copies', async () => {
    const mail = { to: 'ana@example.com', cc: ['bo@example.com'], subject: 'Parcel', html: '<p>Hi</p>' }
    const { isError, question, data } = await asking(YES, () => assistant.call('send_email', mail))
    assert.deepEqual([isError, data['channel']], [false, 'email'])
    assert.match(question, /Send this email for real\?\nTo: a\*\*\*@example\.com, and 1 more as copies/)
  })

  test('sends a call once, however often it is repeated', async () => {
    const to = freshNumber()
    const first = await asking(YES, () => assistant.call('send_sms', sms(to)))
    const second = await asking(YES, () => assistant.call('send_sms', sms(to)))
    assert.deepEqual([second.data['id'], second.data['duplicate']], [first.data['id'], true])
    assert.match(
      second.question,
      /Pombo would return the response of the first call with this idempotency key, and send nothing/,
    )
    await untilStatus(site.gateway, String(first.data['id']), 'delivered')
    assert.equal(await received(to), 1)

    const again = { ...sms(to), idempotency_key: randomUUID() }
    const third = await asking(YES, () => assistant.call('send_sms', again))
    assert.equal(third.data['duplicate'], false)
    await untilStatus(site.gateway, String(third.data['id']), 'delivered')
    assert.equal(await received(to), 2)
  })

  test('asks nobody where whoever started the server has allowed it', async () => {
    const to = freshNumber()
    await using trusted = await site.overStdio({ key, args: ['--allow-send'] })
    const first = await trusted.call('send_sms', sms(to))
    const second = await trusted.call('send_sms', sms(to))
    assert.deepEqual([first.isError, second.data['id'], second.data['duplicate']], [false, first.data['id'], true])
    await untilStatus(site.gateway, String(first.data['id']), 'delivered')
    assert.equal(await received(to), 1)
  })

  test('asks nobody with a test key, which reaches only the simulator', async () => {
    await using tester = await http.connect(await site.keyFor(SCOPES, { mode: 'test' }))
    const { isError, data } = await tester.call('send_sms', sms(freshNumber()))
    assert.deepEqual([isError, data['mode']], [false, 'test'])
  })
})

describe('replaying a dead letter', () => {
  test('asks a person, and is left alone if they decline', async () => {
    const id = await send(site.gateway, { to: magic('0004'), sender_id: 'Once' })
    await untilEvent(site.gateway, id, 'DeadLettered')
    const no = await asking(
      () => ({ action: 'decline' }),
      () => assistant.call('replay_dead_letter', { id }),
    )
    assert.deepEqual([no.isError, no.times], [true, 1])
    assert.match(
      no.question,
      new RegExp(
        `Replay the dead letter ${id}\\?.*\\nChannel: sms\\nTo: "\\+\\*{7}0004"\\nFailed with: SERVICE_UNAVAILABLE`,
      ),
    )
    assert.equal((await assistant.call('get_message', { id })).data['cycle'], 1)
    assert.equal((await mute.call('replay_dead_letter', { id })).isError, true)
    const yes = await asking(YES, () => assistant.call('replay_dead_letter', { id }))
    assert.deepEqual([yes.isError, yes.data['cycle']], [false, 2])
  })
})
