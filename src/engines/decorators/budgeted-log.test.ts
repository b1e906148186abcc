import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageId } from '../../domain/ids.ts'
import type { Content } from '../../domain/message/message.ts'
import type { EventLog, Loaded } from '../../ports/event-log.ts'
import { budgetedLog, withoutBodies } from './budgeted-log.ts'

/** A log of messages whose size is in their ids; large content loads when the test says so. */
function openLog(end: (id: MessageId) => Promise<Loaded | undefined> = async () => ({}) as Loaded) {
  const began: string[] = []
  const ends: (() => void)[] = []
  let calls = 0
  const log = {
    load: async (id, hasRoom) => {
      calls += 1
      const size = Number(id.split(' ')[1])
      if (size === 0) return {} as Loaded
      if (hasRoom?.(size) === false) return { contentSkipped: true } as Loaded
      began.push(id)
      await new Promise<void>((resolve) => ends.push(resolve))
      return end(id)
    },
  } as EventLog
  /** Waits until everything that can happen by itself has happened. */
  const flush = () => new Promise((resolve) => setImmediate(resolve))
  const endNext = async (): Promise<void> => {
    ends.shift()?.()
    await flush()
  }
  return { log, began, calls: () => calls, flush, endNext }
}

const id = (text: string): MessageId => text as MessageId

test('loads large content within the budget, and then in the order of the calls', async () => {
  const { log, began, flush, endNext } = openLog()
  const budgeted = budgetedLog(log, 10)
  const asked = ['a 6', 'b 4', 'c 9', 'd 1', 'e 1'].map((name) => budgeted.load(id(name)))
  await flush()
  assert.deepEqual(began, ['a 6', 'b 4'])
  await endNext()
  assert.deepEqual(began, ['a 6', 'b 4'], 'a smaller one does not overtake')
  await endNext()
  assert.deepEqual(began, ['a 6', 'b 4', 'c 9', 'd 1'])
  await endNext()
  assert.deepEqual(began, ['a 6', 'b 4', 'c 9', 'd 1', 'e 1'])
  await endNext()
  await endNext()
  assert.ok((await Promise.all(asked)).every((loaded) => loaded !== undefined && loaded.contentSkipped === undefined))
})

test('calls for the same message share one load', async () => {
  const { log, began, flush, endNext } = openLog()
  const budgeted = budgetedLog(log, 5)
  const first = budgeted.load(id('a 5'))
  const others = Array.from({ length: 50 }, () => budgeted.load(id('a 5')))
  await flush()
  await endNext()
  await endNext()
  const [one, ...rest] = await Promise.all(others)
  assert.ok(rest.every((loaded) => loaded === one))
  assert.notEqual(await first, one)
  assert.equal(began.length, 2)
})

test('small content loads with one call while large content waits, and a caller with its own budget is asked', async () => {
  const { log, calls, flush, endNext } = openLog()
  const budgeted = budgetedLog(log, 5)
  const large = [budgeted.load(id('a 5')), budgeted.load(id('b 5'))]
  await flush()
  const before = calls()
  assert.ok(await budgeted.load(id('c 0')))
  assert.equal(calls(), before + 1)
  assert.deepEqual(await budgeted.load(id('d 5'), () => false), { contentSkipped: true })
  await endNext()
  await endNext()
  await Promise.all(large)
})

test('a failure rejects its own call, and the next one runs', async () => {
  const { log, flush, endNext } = openLog(async (name) => {
    if (!name.startsWith('d')) throw new Error(`no ${name}`)
    return {} as Loaded
  })
  const budgeted = budgetedLog(log, 5)
  const asked = Promise.allSettled(['a 5', 'b 5', 'c 5', 'd 5'].map((name) => budgeted.load(id(name))))
  await flush()
  for (let n = 0; n < 4; n += 1) await endNext()
  assert.deepEqual(
    (await asked).map((one) => (one.status === 'rejected' ? one.reason.message : one.value)),
    ['no a 5', 'no b 5', 'no c 5', {}],
  )
})

test('withoutBodies removes the bodies of mail and nothing else', async () => {
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
  const short = withoutBodies({ load } as EventLog)
  const { text: _, ...rest } = mail
  assert.deepEqual((await short.load(id('mail')))?.content, { ...rest, html: '' })
  assert.deepEqual((await short.load(id('sms')))?.content, contents['sms'])
  assert.equal(await short.load(id('none')), undefined)
})
