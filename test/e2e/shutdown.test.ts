/** SIGTERM under load: what is in flight is finished, the rest is there on the next start, nothing is lost or doubled. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { listen } from '../support/events.ts'
import { openFolder } from '../support/folder.ts'
import { dataDirOf, type Gateway, startGateway } from '../support/gateway.ts'
import { inFlight } from '../support/in-hands.ts'
import { QUICK } from '../support/routes.ts'
import { kindsOf, magic, metric, send, show, told, untilEvent, untilStatus } from '../support/sms.ts'
import { Succession } from '../support/succession.ts'
import { until } from '../support/until.ts'
import { readReceptions } from './kill-checks.ts'
import { Load } from './kill-load.ts'

async function openConnection({ url }: Gateway): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  return socket
}

describe('a gateway that is told to stop', () => {
  test('finishes the attempts in flight before it ends', async () => {
    await using folder = await openFolder()
    await using first = await startGateway({ folder: folder.path, config: QUICK })
    const slow = await Promise.all(['0009', '0009', '0005'].map((to) => send(first, { to: magic(to) })))
    for (const id of slow) await untilEvent(first, id, 'HandoffAttempted')
    const { code, signal, err } = await first.kill('SIGTERM')
    assert.deepEqual([code, signal], [0, null])
    assert.doesNotMatch(err, /"level":"(error|fatal)"/)

    await using second = await startGateway({ folder: folder.path, config: QUICK })
    for (const [place, id] of slow.entries()) {
      const message = await untilStatus(second, id, 'delivered')
      const ending = message.events[2]
      assert(ending)
      assert.deepEqual(
        [ending.event_type, told(ending, 'code') ?? told(ending, 'by')],
        place === 2 ? ['HandoffUnknown', 'TIMEOUT'] : ['HandoffAccepted', 'answer'],
      )
    }
  })

  test('loses and doubles nothing under load, and leaves no doubt behind', async (t) => {
    await using folder = await openFolder()
    await using site = new Succession({ folder: folder.path, config: QUICK })
    const load = new Load(site, 16, 7)
    for (let stops = 0; stops < 2; stops += 1) {
      await site.start()
      const enough = load.promised.length + 150
      await until('some load', () => load.promised.length >= enough)
      const { code, err } = await site.end('SIGTERM')
      assert.equal(code, 0, err)
    }
    const gateway = await site.start()
    await load.stop()
    assert.deepEqual(load.complaints, [])
    await until('the queue to be empty', async () => (await metric(gateway, 'pombo_queue_jobs')) === 0)
    await inFlight(load.promised, async ({ id }) => {
      const message = await until(`${id} to end`, async () => {
        const seen = await show(gateway, id)
        return ['delivered', 'failed'].includes(seen.status) && seen
      })
      const abandoned = message.events.filter((event) => told(event, 'code') === 'ABANDONED')
      assert.deepEqual(abandoned, [], kindsOf(message).join())
    })
    assert.equal((await site.end('SIGTERM')).code, 0)

    const receptions = readReceptions(join(dataDirOf(folder.path), 'simulator.db'))
    assert.equal(new Set(receptions.map(({ messageId }) => messageId)).size, receptions.length)
    t.diagnostic(`${load.promised.length} messages, ${load.promised.filter(({ tries }) => tries > 1).length} retried`)
  })

  test('does not wait for connections that never say what they want', async () => {
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

  test('ends its event streams, and their readers go on with its successor', async () => {
    await using folder = await openFolder()
    const first = await startGateway({ folder: folder.path, config: QUICK })
    await using listening = await listen(first)
    const id = await send(first, { to: magic('0003'), sender_id: 'Patient' })
    await until('the retry', () => listening.heard.some(({ name }) => name === 'sms.outbound.retry.v1'))
    const place = listening.heard.at(-1)?.id
    assert.equal((await first.kill('SIGTERM')).code, 0)

    await using second = await startGateway({ folder: folder.path, config: QUICK })
    await using going = await listen(second, { message_id: id }, place)
    await until('the rest', () => going.heard.some(({ data }) => data.includes('"newStatus":"delivered"')))
    assert.deepEqual(
      going.heard.map(({ data }) => JSON.parse(data).newStatus ?? JSON.parse(data).attempt),
      [2, 'sent', 'delivered'],
    )
  })
})
