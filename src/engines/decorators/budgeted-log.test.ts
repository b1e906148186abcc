import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageId } from '../../domain/ids.ts'
import type { Content } from '../../domain/message/message.ts'
import type { EventLog, Loaded } from '../../ports/event-log.ts'
import { budgetedLog, withoutBodies } from './budgeted-log.ts'

/** A log of messages that weigh what their ids say; heavy content is brought when the test says so. */
function openLog(end: (id: MessageId) => Promise<Loaded | undefined> = async () => ({}) as Loaded) {
  const began: string[] = []
  const ends: (() => void)[] = []
  let calls = 0
  const log = {
    load: async (id, hasRoom) => {
      calls += 1
      const weight = Number(id.split(' ')[1])
      if (weight === 0) return {} as Loaded
      if (hasRoom?.(weight) === false) return { contentSkipped: true } as Loaded
      began.push(id)
      await new Promise<void>((resolve) => ends.push(resolve))
      return end(id)
    },
  } as EventLog
  /** Waits until all has happened that can happen by itself. */
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  const endNext = async (): Promise<void> => {
    ends.shift()?.()
    await settle()
  }
  return { log, began, calls: () => calls, settle, endNext }
}

const id = (text: string): MessageId => text as MessageId

test('heavy content is brought as far as there is room, and then in the order it was asked for', async () => {
  const { log, began, settle, endNext } = openLog()
  const paced = budgetedLog(log, 10)
  const asked = ['a 6', 'b 4', 'c 9', 'd 1', 'e 1'].map((name) => paced.load(id(name)))
  await settle()
  assert.deepEqual(began, ['a 6', 'b 4'])
  await endNext()
  assert.deepEqual(began, ['a 6', 'b 4'], 'one that would fit does not pass the one before it')
  await endNext()
  assert.deepEqual(began, ['a 6', 'b 4', 'c 9', 'd 1'])
  await endNext()
  assert.deepEqual(began, ['a 6', 'b 4', 'c 9', 'd 1', 'e 1'])
  await endNext()
  await endNext()
  assert.ok((await Promise.all(asked)).every((loaded) => loaded !== undefined && loaded.contentSkipped === undefined))
})

test('those who wait for the same message are brought it together', async () => {
  const { log, began, settle, endNext } = openLog()
  const paced = budgetedLog(log, 5)
  const first = paced.load(id('a 5'))
  const others = Array.from({ length: 50 }, () => paced.load(id('a 5')))
  await settle()
  await endNext()
  await endNext()
  const [one, ...rest] = await Promise.all(others)
  assert.ok(rest.every((loaded) => loaded === one))
  assert.notEqual(await first, one)
  assert.equal(began.length, 2)
})

test('light content comes with one call also while heavy content waits, and who says its room is asked', async () => {
  const { log, calls, settle, endNext } = openLog()
  const paced = budgetedLog(log, 5)
  const heavy = [paced.load(id('a 5')), paced.load(id('b 5'))]
  await settle()
  const before = calls()
  assert.ok(await paced.load(id('c 0')))
  assert.equal(calls(), before + 1)
  assert.deepEqual(await paced.load(id('d 5'), () => false), { contentSkipped: true })
  await endNext()
  await endNext()
  await Promise.all(heavy)
})

test('a failure is told to who asked, and the next has its turn', async () => {
  const { log, settle, endNext } = openLog(async (name) => {
    if (!name.startsWith('d')) throw new Error(`no ${name}`)
    return {} as Loaded
  })
  const paced = budgetedLog(log, 5)
  const asked = Promise.allSettled(['a 5', 'b 5', 'c 5', 'd 5'].map((name) => paced.load(id(name))))
  await settle()
  for (let n = 0; n < 4; n += 1) await endNext()
  assert.deepEqual(
    (await asked).map((one) => (one.status === 'rejected' ? one.reason.message : one.value)),
    ['no a 5', 'no b 5', 'no c 5', {}],
  )
})

test('a brief log leaves out what a mail says, and nothing else', async () => {
  const mail = {
    channel: 'email',
    to: 'ana@example.com',
    subject: 'Hi',
    metadata: { order: '1' },
    html: '<p>',
    text: 'x',
  }
  const contents: Record<string, unknown> = {
    mail: { ...mail, attachments: [{ content: 'AAAA' }] },
    sms: { channel: 'sms', body: 'Hi' },
  }
  const load: EventLog['load'] = async (name) =>
    (name in contents ? { content: contents[name] as Content } : undefined) as Loaded | undefined
  const brief = withoutBodies({ load } as EventLog)
  const { text: _, ...rest } = mail
  assert.deepEqual((await brief.load(id('mail')))?.content, { ...rest, html: '' })
  assert.deepEqual((await brief.load(id('sms')))?.content, contents['sms'])
  assert.equal(await brief.load(id('none')), undefined)
})
