import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { pause } from '../lib/pause.ts'
import { inTime, type Send, ToolError, toGateway } from './gateway.ts'

const answering =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Send =>
  async () =>
    new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers })

const failureOf = (send: Send): Promise<string> =>
  toGateway(send)('GET', '/v1/messages').then(
    () => 'no failure',
    (error: unknown) => (error instanceof ToolError ? error.message : `another error: ${error}`),
  )

describe('a call of the gateway', () => {
  test('returns what it answers, and whether it repeats an earlier answer', async () => {
    const gateway = toGateway(answering(202, { id: 'x' }, { 'idempotent-replayed': 'true' }))
    assert.deepEqual(await gateway('POST', '/v1/sms/send'), { body: { id: 'x' }, replayed: true })
  })

  test('fails with the code, the fields and the time to wait', async () => {
    const problem = {
      error_code: 'VALIDATION_ERROR',
      detail: '/to must be a phone number',
      details: [{ path: '/to', message: 'must be a\u202e phone number' }],
      retry_after: 3,
    }
    assert.deepEqual((await failureOf(answering(400, problem))).split('\n'), [
      'The gateway refused the call (400 VALIDATION_ERROR): "/to must be a phone number"',
      '- "/to": "must be a\ufffd phone number"',
      'It may be repeated in 3 s.',
    ])
  })

  test('says what to do about credentials', async () => {
    assert.match(await failureOf(answering(401, { detail: 'The API key was revoked' })), /must replace it/)
    assert.match(
      await failureOf(answering(403, { error_code: 'FORBIDDEN' })),
      /\(403 FORBIDDEN\)\.\nThe API key or token may not/,
    )
  })

  test('fails where something else answers', async () => {
    assert.match(await failureOf(answering(200, '<html>')), /not a Pombo gateway/)
    assert.equal(await failureOf(answering(502, '<html>')), 'The gateway refused the call (502).')
    assert.match(await failureOf(async () => ({ unreachable: 'no gateway at x' })), /^no gateway at x/)
  })

  test('is given up after a while, and ends when the client cancels it', async () => {
    const hanging: Send = async (_method, _path, { signal }) => {
      // The timer of an abort signal does not keep the process alive.
      await pause(60_000, signal)
      throw signal?.reason
    }
    assert.match(await failureOf(inTime(hanging, 5)), /did not answer within 0.005 s/)

    const cancelled = new AbortController()
    const call = toGateway(inTime(hanging))('GET', '/', { signal: cancelled.signal })
    cancelled.abort(new Error('cancelled'))
    await assert.rejects(call, /cancelled/)
  })
})
