import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { GUESSES, prepareChallenges, toGuess } from './challenges.ts'
import { measureRaw } from './codes.ts'

test('bcrypt alone takes longer at a higher cost', { timeout: 30_000 }, async () => {
  const times = { warmUpSeconds: 0.1, seconds: 0.4 }
  const [cheap, dear] = [await measureRaw(times, 4), await measureRaw(times, 7)]
  assert.ok(cheap > 2 * dear && dear > 1, `${cheap}/s at cost 4, ${dear}/s at cost 7`)
})

test('challenges have their own recipients and keys, and allow the maximum of guesses', async (t) => {
  const asked: { to: string; idempotency_key: string; max_attempts: number }[] = []
  const server = createServer(async (request, response) => {
    const nth = asked.push(JSON.parse(Buffer.concat(await request.toArray()).toString()))
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ challenge_id: `id-${nth}` }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const ids = await prepareChallenges({ port: (server.address() as AddressInfo).port, token: 'token' }, 40)
  assert.equal(new Set(ids).size, 40)
  assert.equal(new Set(asked.map(({ to }) => to)).size, 40)
  assert.equal(new Set(asked.map(({ idempotency_key: key }) => key)).size, 40)
  assert.ok(asked.every(({ max_attempts: most }) => most === GUESSES))
  assert.equal(toGuess('token', ids).body.length, 40)
})
