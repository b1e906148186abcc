/** SIGTERM under load: attempts in flight are finished, the rest is sent after the next start, nothing is lost or sent twice. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { subscribe } from '../support/events.ts'
import { openFolder } from '../support/folder.ts'
import { dataDirOf, type Gateway, startGateway } from '../support/gateway.ts'
import { mapInBatches } from '../support/map-in-batches.ts'
import { RestartableGateway } from '../support/restartable-gateway.ts'
import { QUICK } from '../support/routes.ts'
import { kindsOf, magic, metric, payloadField, send, show, untilEvent, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'
import { readReceptions } from './kill-checks.ts'
import { Load } from './kill-load.ts'

async function openConnection({ url }: Gateway): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  return socket
}

describe('a gateway that receives SIGTERM', () => {
  test('finishes the attempts in flight before it exits', async () => {
    await using folder = await openFolder()
    await using first = await startGateway({ folder: folder.path, config: QUICK })
    const slow = await Promise.all(['0009', '0009', '0005'].map((to) => send(first, { to: magic(to) })))
    for (const id of slow) await untilEvent(first, id, 'HandoffAttempted')
    const { code, signal, err } = await first.kill('SIGTERM')
    assert.deepEqual([code, signal], [0, null])
    assert.doesNotMatch(err, /"level":"(error|fatal)"/)

    await using second = await startGateway({ folder: folder.path, config: QUICK })
    for (const [index, id] of slow.entries()) {
      const message = await untilStatus(second, id, 'delivered')
      const ending = message.events[2]
      assert(ending)
      assert.deepEqual(
        [ending.event_type, payloadField(ending, 'code') ?? payloadField(ending, 'by')],
        index === 2 ? ['HandoffUnknown', 'TIMEOUT'] : ['HandoffAccepted', 'answer'],
      )
    }
  })

  test('loses nothing, sends nothing twice and leaves no unknown outcome under load', async (t) => {
    await using folder = await openFolder()
    await using site = new RestartableGateway({ folder: folder.path, config: QUICK })
    const load = new Load(site, 16, 7)
    for (let stops = 0; stops < 2; stops += 1) {
      await site.start()
      const enough = load.accepted.length + 150
      await until('some load', () => load.accepted.length >= enough)
      const { code, err } = await site.end('SIGTERM')
      assert.equal(code, 0, err)
    }
    const gateway = await site.start()
    await load.stop()
    assert.deepEqual(load.unexpected, [])
    await until('the queue to be empty', async () => (await metric(gateway, 'pombo_queue_jobs')) === 0)
    await mapInBatches(load.accepted, async ({ id }) => {
      const message = await until(`${id} to end`, async () => {
        const seen = await show(gateway, id)
        return ['delivered', 'failed'].includes(seen.status) && seen
      })
      const abandoned = message.events.filter((event) => payloadField(event, 'code') === 'ABANDONED')
      assert.deepEqual(abandoned, [], kindsOf(message).join())
    })
    assert.equal((await site.end('SIGTERM')).code, 0)

    const receptions = readReceptions(join(dataDirOf(folder.path), 'simulator.db'))
    assert.equal(new Set(receptions.map(({ messageId }) => messageId)).size, receptions.length)
    t.diagnostic(`${load.accepted.length} messages, ${load.accepted.filter(({ tries }) => tries > 1).length} retried`)
  })

  test('does not wait for connections without a request', async () => {
    await using folder = await openFolder()
    await using gateway = await startGateway({ folder: folder.path, env: { POMBO_SHUTDOWN_SECONDS: '2' } })
    await using silent = await openConnection(gateway)
    await using halting = await openConnection(gateway)
    halting.write('POST /v1/sms/send HTTP/1.1\r\nHost: here\r\nContent-Length: 100\r\n\r\n{')
    await untilStatus(gateway, await send(gateway), 'delivered')
    assert.deepEqual([silent.closed, halting.closed], [false, false])
    void gateway.kill('SIGTERM')
    await until('the gateway to end', () => gateway.hasEnded(), { withinMs: 10_000 })
    assert.equal((await gateway.exited).code, 0)
  })

  test('ends its event streams, and their readers resume at the next gateway', async () => {
    await using folder = await openFolder()
    const first = await startGateway({ folder: folder.path, config: QUICK })
    await using subscription = await subscribe(first)
    const id = await send(first, { to: magic('0003'), sender_id: 'Patient' })
    await until('the retry', () => subscription.received.some(({ name }) => name === 'sms.outbound.retry.v1'))
    const lastEventId = subscription.received.at(-1)?.id
    assert.equal((await first.kill('SIGTERM')).code, 0)

    await using second = await startGateway({ folder: folder.path, config: QUICK })
    await using resumed = await subscribe(second, { message_id: id }, lastEventId)
    await until('the rest', () => resumed.received.some(({ data }) => data.includes('"newStatus":"delivered"')))
    assert.deepEqual(
      resumed.received.map(({ data }) => JSON.parse(data).newStatus ?? JSON.parse(data).attempt),
      [2, 'sent', 'delivered'],
    )
  })
})
