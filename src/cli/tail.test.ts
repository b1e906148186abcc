import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { describe, test } from 'node:test'
import { runCli } from './run.ts'
import { openTestGateway, refuseWith, toTestWorld } from './test-world.ts'

const ID = '01978d5e-0000-7000-8000-00000000abcd'
const status = (id: number, previousStatus: string | null, newStatus: string): string =>
  frame(id, 'sms.events.status.v1', { messageId: ID, previousStatus, newStatus, at: '2030-01-31T12:00:00.000Z' })
const frame = (id: number, name: string, data: unknown): string =>
  `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`

/** Each connection gets the next list of frames; when there are no more, the command is stopped. */
async function tail(connections: readonly string[], argv: readonly string[] = []) {
  const stop = new AbortController()
  const left = [...connections]
  await using gateway = await openTestGateway((_request, response: ServerResponse) => {
    const frames = left.shift()
    if (frames === undefined) stop.abort()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(frames)
  })
  const { world, written } = toTestWorld({ env: gateway.env, stopSignal: () => stop.signal })
  const code = await runCli(world, ['tail', ...argv])
  return { code, ...written(), resumed: gateway.requests.map(({ headers }) => headers['last-event-id']) }
}

describe('tail', () => {
  test('prints one aligned line per event', async () => {
    const at = '2030-01-31T12:00:00.000Z'
    const retry = { messageId: ID, attempt: 2, reason: 'BUSY', at, dueAt: '2030-01-31T12:00:04.000Z' }
    const { code, out } = await tail([
      status(1, null, 'queued') +
        status(2, 'sending', 'delivered') +
        frame(3, 'sms.outbound.retry.v1', retry) +
        frame(4, 'sms.outbound.deadletter.v1', { messageId: ID, failureReason: 'BUSY', at }),
    ])
    assert.equal(code, 0)
    assert.deepEqual(out.split('\n'), [
      '12:00:00.000Z  new → queued         …00000000abcd',
      '12:00:00.000Z  sending → delivered  …00000000abcd',
      '12:00:00.000Z  attempt 2: BUSY, again in 4.0 s  …00000000abcd',
      '12:00:00.000Z  dead letter: BUSY    …00000000abcd',
      '',
    ])
  })

  test('prints email events in the same form', async () => {
    const at = '2030-01-31T12:00:00.000Z'
    const change = { messageId: ID, previousStatus: 'sending', newStatus: 'sent', at }
    const { out } = await tail([
      frame(1, 'email.events.status.v1', change) +
        frame(2, 'email.outbound.deadletter.v1', { messageId: ID, failureReason: 'SES_THROTTLING', at }),
    ])
    assert.deepEqual(out.split('\n'), [
      '12:00:00.000Z  sending → sent       …00000000abcd',
      '12:00:00.000Z  dead letter: SES_THROTTLING  …00000000abcd',
      '',
    ])
  })

  test('resumes a broken connection after the last event', async () => {
    const { resumed, err } = await tail([status(7, null, 'queued'), '', status(9, 'queued', 'sending')])
    assert.deepEqual(resumed, [undefined, '7', '7', '9'])
    assert.equal(err, 'connection lost, reconnecting\n'.repeat(3))
  })

  test('starts after --since', async () => {
    assert.deepEqual((await tail([''], ['--since', '42'])).resumed, ['42', '42'])
  })

  test('prints JSON with --json and full ids with --full', async () => {
    const { out } = await tail([status(1, null, 'queued')], ['--json'])
    assert.equal(JSON.parse(out).data.messageId, ID)
    assert.match((await tail([status(1, null, 'queued')], ['--full'])).out, new RegExp(`${ID}\n$`))
  })

  test('does not retry a refused first connection', async () => {
    await using gateway = await openTestGateway(refuseWith(401, 'the token is not valid'))
    const { world, written } = toTestWorld({ env: gateway.env })
    assert.equal(await runCli(world, ['tail']), 1)
    assert.match(written().err, /answered 401: the token is not valid; create a token with `pombo token`/)
    assert.equal(gateway.requests.length, 1)
  })

  test('survives an outage of the gateway, and ends when it is refused later', async () => {
    const answers = [
      (response: ServerResponse) => response.end(status(1, null, 'queued')),
      (response: ServerResponse) => response.writeHead(503).end(),
      (response: ServerResponse) => response.socket?.destroy(),
      (response: ServerResponse) => response.writeHead(401).end(),
    ]
    await using gateway = await openTestGateway((_request, response) => void answers.shift()?.(response))
    const { world, written } = toTestWorld({ env: gateway.env })
    assert.equal(await runCli(world, ['tail']), 1)
    assert.match(written().err, /answered 401: no reason given/)
    assert.deepEqual(answers, [])
  })
})
