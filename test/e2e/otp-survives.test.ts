/** One-time codes and counts of limits outlive `kill -9`: nobody gets attempts back, and no code is lost or sent twice. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import { openCluster, toGateway } from '../support/cluster.ts'
import { openFolder } from '../support/folder.ts'
import { dataDirOf, type Gateway } from '../support/gateway.ts'
import { codeAt, generate, someOtp, validate, type Wanted, wrongFor } from '../support/otp.ts'
import { inboxOf, post, send, someSms, untilEvent, untilStatus } from '../support/sms.ts'
import { Succession } from '../support/succession.ts'
import { until } from '../support/until.ts'

/** `restart` kills with `kill -9` and answers whoever comes after. */
type Site = Readonly<{ gateway: () => Promise<Gateway>; restart: () => Promise<Gateway> }>

/** What was cut off is soon taken up again. */
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
  test('S1-P6 S1-P7 keeps the attempts that were made, verifies once, and what carried it is erased', async () => {
    const wanted = someOtp({ max_attempts: 3 })
    const before = await site.gateway()
    const { body } = await generate(before, wanted)
    const id = body.challenge_id
    const code = await codeAt(before, wanted.to)
    assert.equal((await validate(before, id, wrongFor(code))).body.attempts_remaining, 2)

    const gateway = await site.restart()
    const wrong = await validate(gateway, id, wrongFor(code))
    assert.deepEqual([wrong.body.status, wrong.body.attempts_remaining], ['invalid', 1])
    assert.deepEqual((await validate(gateway, id, code)).body.status, 'verified')
    const last = await site.restart()
    assert.deepEqual((await validate(last, id, code)).body.status, 'already_verified')
    assert.match((await untilEvent(last, body.request_id, 'MessageErased')).to ?? '', /^\+\*+\d{4}$/)
    assert.equal((await inboxOf(last, wanted.to)).length, 1)
  })

  test('stays verified and has its message erased when it is killed right after', async () => {
    const wanted = someOtp()
    const before = await site.gateway()
    const { body } = await generate(before, wanted)
    const code = await codeAt(before, wanted.to)
    assert.equal((await validate(before, body.challenge_id, code)).body.status, 'verified')
    const gateway = await site.restart()
    assert.equal((await validate(gateway, body.challenge_id, code)).body.status, 'already_verified')
    await untilEvent(gateway, body.request_id, 'MessageErased')
  })

  for (const answers of [0, 1, 8]) {
    test(`is sent once and verifies though it was killed after ${answers} of 16 answers`, async () => {
      const wanted = Array.from({ length: 16 }, () => someOtp())
      const first = await killAmid(site, wanted, answers)
      const gateway = await site.gateway()
      const repeated = await Promise.all(wanted.map((one) => generate(gateway, one)))
      for (const [place, { status, body, text }] of repeated.entries()) {
        assert.equal(status, 202, text)
        assert.equal(text, first[place] ?? text)
        await untilStatus(gateway, body.request_id, 'delivered', { withinMs: 30_000 })
      }
      for (const [place, { to }] of wanted.entries()) {
        const code = await codeAt(gateway, to)
        const { body } = await validate(gateway, repeated[place]?.body.challenge_id ?? '', code)
        assert.equal(body.status, 'verified')
        assert.equal((await inboxOf(gateway, to)).length, 1)
      }
    })
  }
}

/** Asks for all of them at once and kills when so many were answered. Tells the answers, where there were any. */
async function killAmid(site: Site, wanted: readonly Wanted[], answers: number) {
  const gateway = await site.gateway()
  const answered: (string | undefined)[] = wanted.map(() => undefined)
  const asked = wanted.map(async (one, place) => {
    const { status, text } = await generate(gateway, one)
    if (status === 202) answered[place] = text
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

  test('holds what it has counted once that is in the file', async () => {
    const before = await site.gateway()
    await setLimit(before)
    for (let sent = 0; sent < 5; sent += 1) await send(before)
    await untilWritten(5)
    const gateway = await site.restart()
    assert.equal(await used(gateway), 5)
    assert.equal((await post(gateway, someSms())).status, 429)
  })

  test('forgets no more than was sent in the moment before', async () => {
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
  const succession = opened.use(new Succession({ folder: folder.path, ...OPTIONS }))
  await succession.start()
  const restart = async (): Promise<Gateway> => {
    await succession.kill()
    return succession.start()
  }
  return { site: { gateway: () => succession.up(), restart }, folder: folder.path }
}

/** What the newest limit has counted, as far as it is written. */
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
