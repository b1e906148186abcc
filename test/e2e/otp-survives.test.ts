/** One-time codes and limits survive `kill -9`: attempts stay counted, and no code is lost or sent twice. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import { openCluster, toGateway } from '../support/cluster.ts'
import { openFolder } from '../support/folder.ts'
import { dataDirOf, type Gateway } from '../support/gateway.ts'
import { codeAt, generate, type OtpRequest, someOtp, validate, wrongFor } from '../support/otp.ts'
import { RestartableGateway } from '../support/restartable-gateway.ts'
import { inboxOf, post, send, someSms, untilEvent, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'

/** `restart` sends SIGKILL and returns the next gateway. */
type Site = Readonly<{ gateway: () => Promise<Gateway>; restart: () => Promise<Gateway> }>

/** Short leases, so that interrupted work is recovered soon. */
const ROUTE = {
  id: 'default',
  channel: 'sms',
  providers: ['simulator'],
  retry: { delays_seconds: [0.2] },
  unknown: { wait_seconds: 0.3 },
}
const OPTIONS = { config: { routes: [ROUTE] }, env: { POMBO_PROVIDER_TIMEOUT_SECONDS: '2', POMBO_OTP_COST: '4' } }

describe('a code, embedded', { timeout: 110_000 }, async () => {
  const { site } = await openEmbedded()
  survives(site)
})

describe('a code, in a cluster', { timeout: 110_000 }, async () => {
  const cluster = await openCluster({ plan: { all: 1 }, ...OPTIONS })
  after(() => cluster[Symbol.asyncDispose]())
  const [member] = cluster.members
  assert.ok(member !== undefined)
  survives({
    gateway: async () => toGateway(cluster, member),
    async restart() {
      await member.kill('SIGKILL')
      await member.start()
      return toGateway(cluster, member)
    },
  })
})

function survives(site: Site): void {
  test('S1-P6 S1-P7 keeps its attempts, verifies once, and its message is erased', async () => {
    const otp = someOtp({ max_attempts: 3 })
    const before = await site.gateway()
    const { body } = await generate(before, otp)
    const id = body.challenge_id
    const code = await codeAt(before, otp.to)
    assert.equal((await validate(before, id, wrongFor(code))).body.attempts_remaining, 2)

    const gateway = await site.restart()
    const wrong = await validate(gateway, id, wrongFor(code))
    assert.deepEqual([wrong.body.status, wrong.body.attempts_remaining], ['invalid', 1])
    assert.deepEqual((await validate(gateway, id, code)).body.status, 'verified')
    const last = await site.restart()
    assert.deepEqual((await validate(last, id, code)).body.status, 'already_verified')
    assert.match((await untilEvent(last, body.request_id, 'MessageErased')).to ?? '', /^\+\*+\d{4}$/)
    assert.equal((await inboxOf(last, otp.to)).length, 1)
  })

  test('stays verified and its message is erased after a kill right after verification', async () => {
    const otp = someOtp()
    const before = await site.gateway()
    const { body } = await generate(before, otp)
    const code = await codeAt(before, otp.to)
    assert.equal((await validate(before, body.challenge_id, code)).body.status, 'verified')
    const gateway = await site.restart()
    assert.equal((await validate(gateway, body.challenge_id, code)).body.status, 'already_verified')
    await untilEvent(gateway, body.request_id, 'MessageErased')
  })

  for (const answers of [0, 1, 8]) {
    test(`is sent once and verifies after a kill at ${answers} of 16 answers`, async () => {
      const otps = Array.from({ length: 16 }, () => someOtp())
      const first = await killDuring(site, otps, answers)
      const gateway = await site.gateway()
      const repeated = await Promise.all(otps.map((one) => generate(gateway, one)))
      for (const [index, { status, body, text }] of repeated.entries()) {
        assert.equal(status, 202, text)
        assert.equal(text, first[index] ?? text)
        await untilStatus(gateway, body.request_id, 'delivered', { withinMs: 30_000 })
      }
      for (const [index, { to }] of otps.entries()) {
        const code = await codeAt(gateway, to)
        const { body } = await validate(gateway, repeated[index]?.body.challenge_id ?? '', code)
        assert.equal(body.status, 'verified')
        assert.equal((await inboxOf(gateway, to)).length, 1)
      }
    })
  }
}

/** Requests all codes concurrently and kills after `answers` answers. Returns the answers received. */
async function killDuring(site: Site, otps: readonly OtpRequest[], answers: number) {
  const gateway = await site.gateway()
  const answered: (string | undefined)[] = otps.map(() => undefined)
  const asked = otps.map(async (one, index) => {
    const { status, text } = await generate(gateway, one)
    if (status === 202) answered[index] = text
  })
  const settled = Promise.allSettled(asked)
  await until('answers', () => answered.filter((text) => text !== undefined).length >= answers, { everyMs: 1 })
  await site.restart()
  await settled
  return answered
}

describe('a limit, embedded', { timeout: 110_000 }, async () => {
  const { site, folder } = await openEmbedded()
  const setLimit = async (gateway: Gateway): Promise<void> => {
    const rule = { limit: 5, window_seconds: 3600 }
    assert.equal((await gateway.call('PUT', '/v1/limits/account/default', rule)).status, 200)
  }
  const used = async (gateway: Gateway): Promise<number> =>
    (await gateway.call<{ used: number }>('GET', '/v1/limits/account/default')).body.used
  const untilWritten = (count: number) => until(`${count} in the file`, () => countIn(dataDirOf(folder)) === count)

  test('keeps its count once it is stored', async () => {
    const before = await site.gateway()
    await setLimit(before)
    for (let sent = 0; sent < 5; sent += 1) await send(before)
    await untilWritten(5)
    const gateway = await site.restart()
    assert.equal(await used(gateway), 5)
    assert.equal((await post(gateway, someSms())).status, 429)
  })

  test('loses at most the count of the moment before the kill', async () => {
    const before = await site.gateway()
    await setLimit(before)
    for (let sent = 0; sent < 3; sent += 1) await send(before)
    await untilWritten(3)
    for (let sent = 0; sent < 2; sent += 1) await send(before)
    const gateway = await site.restart()
    const known = await used(gateway)
    assert.ok(known >= 3 && known <= 5, String(known))
    for (let sent = known; sent < 5; sent += 1) await send(gateway)
    assert.equal((await post(gateway, someSms())).status, 429)
  })
})

async function openEmbedded(): Promise<Readonly<{ site: Site; folder: string }>> {
  const opened = new AsyncDisposableStack()
  after(() => opened.disposeAsync())
  const folder = opened.use(await openFolder())
  const succession = opened.use(new RestartableGateway({ folder: folder.path, ...OPTIONS }))
  await succession.start()
  const restart = async (): Promise<Gateway> => {
    await succession.kill()
    return succession.start()
  }
  return { site: { gateway: () => succession.current(), restart }, folder: folder.path }
}

/** The stored count of the newest limit. */
function countIn(dataDir: string): number {
  const db = new DatabaseSync(join(dataDir, 'pombo.db'), { readOnly: true })
  try {
    const row = db.prepare("select tally from limit_counts where scope = 'account' order by version desc limit 1").get()
    const tally = JSON.parse(String(row?.['tally'] ?? '[]')) as readonly (readonly [number, number])[]
    return tally.reduce((sum, [, count]) => sum + count, 0)
  } finally {
    db.close()
  }
}
