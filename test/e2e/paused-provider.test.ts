/** A provider that an operator has paused stays paused until its end or a reset, whatever happens to the process. */
import assert from 'node:assert/strict'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { openCluster, toGateway } from '../support/cluster.ts'
import { runPombo } from '../support/command.ts'
import { openFolder } from '../support/folder.ts'
import { dataDirOf, type Gateway, settingsFor, startGateway } from '../support/gateway.ts'
import { RestartableGateway } from '../support/restartable-gateway.ts'
import { send, untilStatus } from '../support/sms.ts'

const CONFIG = {
  providers: [
    { name: 'alpha', kind: 'simulator' },
    { name: 'beta', kind: 'simulator' },
  ],
  routes: [{ id: 'default', channel: 'sms', providers: ['alpha', 'beta'] }],
}
const HOUR = 3_600

type Breaker = Readonly<{ state: string; paused_at: string | null; retry_at: string | null }>
type Providers = Readonly<{ items: readonly Readonly<{ name: string; breaker: Breaker }>[] }>

async function breakerOf(gateway: Gateway, wanted: string): Promise<Breaker | undefined> {
  const { body } = await gateway.call<Providers>('GET', '/v1/providers')
  return body.items.find(({ name }) => name === wanted)?.breaker
}

async function pause(gateway: Gateway, provider: string): Promise<Breaker> {
  const trip = { action: 'trip', seconds: HOUR }
  const { status, body, text } = await gateway.call<Breaker>('POST', `/v1/providers/${provider}/breaker`, trip)
  assert.equal(status, 200, text)
  assert.ok(body.state === 'open' && body.paused_at !== null, text)
  return body
}

/** The provider of a message that nothing delays, and its attempts. */
async function carrierOf(gateway: Gateway): Promise<readonly unknown[]> {
  const { provider, attempts } = await untilStatus(gateway, await send(gateway), 'delivered')
  return [provider, attempts]
}

/** `restart` sends SIGKILL and returns the next gateway. */
type Site = Readonly<{ gateway: () => Promise<Gateway>; restart: () => Promise<Gateway> }>

function survives(site: Site): void {
  test('stays paused after a kill, and resumed after another', async () => {
    const first = await site.gateway()
    assert.deepEqual(await carrierOf(first), ['alpha', 1])
    const paused = await pause(first, 'alpha')
    const second = await site.restart()
    assert.deepEqual(await breakerOf(second, 'alpha'), paused)
    assert.deepEqual(await carrierOf(second), ['beta', 1])
    const { status } = await second.call('POST', '/v1/providers/alpha/breaker', { action: 'reset' })
    assert.equal(status, 200)
    const third = await site.restart()
    assert.equal((await breakerOf(third, 'alpha'))?.state, 'closed')
    assert.deepEqual(await carrierOf(third), ['alpha', 1])
  })
}

describe('a paused provider, embedded', { timeout: 110_000 }, async () => {
  const opened = new AsyncDisposableStack()
  after(() => opened.disposeAsync())
  const { path: folder } = opened.use(await openFolder())
  const succession = opened.use(new RestartableGateway({ folder, config: CONFIG }))
  await succession.start()
  survives({
    gateway: () => succession.current(),
    async restart() {
      await succession.kill()
      return succession.start()
    },
  })

  test('is paused in a restored backup', async () => {
    const paused = await pause(await succession.current(), 'beta')
    const into = opened.use(await openFolder())
    const file = join(folder, 'backup.db')
    const taken = await runPombo(['backup', file], await settingsFor({ folder, config: CONFIG }))
    assert.equal(taken.code, 0, taken.err)
    await mkdir(dataDirOf(into.path), { mode: 0o700 })
    await copyFile(join(dataDirOf(folder), 'master.key'), join(dataDirOf(into.path), 'master.key'))
    const options = { folder: into.path, config: CONFIG }
    const restored = await runPombo(['restore', file], await settingsFor(options))
    assert.equal(restored.code, 0, restored.err)
    await using gateway = await startGateway(options)
    assert.deepEqual(await breakerOf(gateway, 'beta'), paused)
  })
})

describe('a paused provider, in a cluster', { timeout: 110_000 }, async () => {
  const cluster = await openCluster({ plan: { all: 1 }, config: CONFIG })
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
