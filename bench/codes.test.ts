import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { prepareChallenges, toValidations } from './challenges.ts'
import { measureRaw } from './codes.ts'

test('bcrypt alone takes longer at a higher cost', { timeout: 30_000 }, async () => {
  const times = { warmUpSeconds: 0.1, seconds: 0.4 }
  const [cheap, dear] = [await measureRaw(times, 4), await measureRaw(times, 7)]
  assert.ok(cheap > 2 * dear && dear > 1, `${cheap}/s at cost 4, ${dear}/s at cost 7`)
})

test('challenges have their own recipients and keys, and the codes that were sent', async (t) => {
  const asked: { to: string; idempotency_key: string }[] = []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    response.setHeader('content-type', 'application/json')
    if (request.method === 'POST') {
      const nth = asked.push(JSON.parse(body))
      response.end(JSON.stringify({ challenge_id: `id-${nth}` }))
      return
    }
    const to = new URL(request.url ?? '', 'http://host').searchParams.get('to')
    const nth = asked.findIndex((one) => one.to === to) + 1
    response.end(JSON.stringify({ items: [{ message_id: `id-${nth}`, body: `Code ${100_000 + nth}.` }] }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const challenges = await prepareChallenges({ port: (server.address() as AddressInfo).port, token: 'token' }, 40)
  assert.equal(new Set(challenges.map(({ id }) => id)).size, 40)
  assert.equal(new Set(asked.map(({ to }) => to)).size, 40)
  assert.equal(new Set(asked.map(({ idempotency_key: key }) => key)).size, 40)
  for (const { id, code } of challenges) assert.equal(Number(code) - 100_000, Number(id.slice(3)))
  assert.equal(toValidations('token', challenges).body.length, 40)
})
