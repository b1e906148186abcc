/** What SMPP clients notice when a gateway on one file is stopped or killed, and started again. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openFolder } from '../support/folder.ts'
import type { Gateway } from '../support/gateway.ts'
import { RestartableGateway } from '../support/restartable-gateway.ts'
import { bindClient, createLogin, type SmppLogin, smppPortOf } from '../support/smpp-client.ts'
import { withHeader } from '../support/smpp-octets.ts'
import { freshNumber, inboxOf, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'

const opened = new AsyncDisposableStack()
after(() => opened.disposeAsync())
const folder = opened.use(await openFolder())
const env = { POMBO_SMPP_PORT: '0', POMBO_LOG_LEVEL: 'info' }
const simulator = { name: 'simulator', kind: 'simulator', settings: { receipt_delay_ms: 50 } }
const restartable = opened.use(new RestartableGateway({ folder: folder.path, config: { providers: [simulator] }, env }))

const bind = async (gateway: Gateway, login: SmppLogin, more: object = {}) =>
  bindClient({ port: await smppPortOf(gateway), ...login, ...more })

for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
  test(`after ${signal} receipts are still owed, and parts still wait for the others`, async () => {
    const before = await restartable.start()
    const login = await createLogin(before)
    const client = await bind(before, login, { answer: () => undefined })
    const id = await client.submit(freshNumber(), 'owed', { registered_delivery: 1 })
    await untilStatus(before, id, 'delivered')
    await client.receiptOf(id)
    const to = freshNumber()
    const first = await client.submit(to, '', withHeader(9, 2, 1, Buffer.from('one, ')))

    await restartable.end(signal)
    await until('the end', () => client.closed)
    assert.equal(client.unbound, signal === 'SIGTERM')

    const next = await restartable.start()
    await using again = await bind(next, login)
    await again.receiptOf(id)
    const second = await again.submit(to, '', withHeader(9, 2, 2, Buffer.from('two')))
    assert.equal(second, `${first}-2`)
    await untilStatus(next, first, 'delivered')
    assert.equal((await inboxOf(next, to))[0]?.body, 'one, two')
    await restartable.end('SIGTERM')
  })
}

test('an answer that was sent is kept, whenever the process is killed', async () => {
  const before = await restartable.start()
  const login = await createLogin(before)
  const client = await bind(before, login)
  const ids: string[] = []
  const sending = Promise.allSettled(
    Array.from({ length: 20 }, async () => {
      for (;;) ids.push(await client.submit(freshNumber(), 'kept', { registered_delivery: 1 }))
    }),
  )
  await until('some answers', () => ids.length > 200)
  await restartable.kill()
  await sending
  const next = await restartable.start()
  await using again = await bind(next, login)
  const answered = [...ids]
  const isReported = (): boolean => {
    const reported = new Set([...client.receipts, ...again.receipts].map(({ text }) => text.slice(3, 39)))
    return answered.every((id) => reported.has(id))
  }
  await until('a receipt of each', isReported, { withinMs: 60_000, everyMs: 200 })
  await restartable.end('SIGTERM')
})

test('an erased message is not told of any more', async () => {
  const gateway = await restartable.start()
  const login = await createLogin(gateway)
  let id = ''
  {
    await using sender = await bind(gateway, login, { bind: 'bind_transmitter' })
    id = await sender.submit(freshNumber(), 'to be erased', { registered_delivery: 1 })
    await untilStatus(gateway, id, 'delivered')
  }
  const { status, text } = await gateway.call('POST', `/v1/messages/${id}/erase`)
  assert.ok(status < 300, text)
  await using receiver = await bind(gateway, login)
  const other = await receiver.submit(freshNumber(), 'another', { registered_delivery: 1 })
  await receiver.receiptOf(other)
  assert.ok(receiver.receipts.every((receipt) => !receipt.text.includes(id)))
  await restartable.end('SIGTERM')
})
