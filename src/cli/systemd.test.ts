import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Millis } from '../lib/time.ts'
import { openSystemd } from './systemd.ts'
import { toTestWorld } from './test-world.ts'
import type { World } from './world.ts'

const URL = 'http://127.0.0.1:8080'
const SOCKET = { PATH: '/usr/bin', NOTIFY_SOCKET: '/run/notify' }
/** Long enough for everything that waits for no timer. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
}

/** `answers` are the statuses of /health/ready, the last one for good. Pauses end at once, `pauses` times. */
function openWorld(env: World['env'], { answers = [200], pauses = 3, changes = {} as Partial<World> } = {}) {
  const told: string[] = []
  const environments: unknown[] = []
  const waits: Millis[] = []
  const warnings: unknown[] = []
  const left = [...answers]
  const { world } = toTestWorld({
    env,
    execute: async (program, args, environment) => {
      assert.equal(program, 'systemd-notify')
      environments.push(environment)
      told.push(...args.filter((arg) => !arg.startsWith('STATUS=')))
    },
    fetch: async (url) => {
      assert.equal(url, `${URL}/health/ready`)
      return new Response(null, { status: (left.length > 1 ? left.shift() : left[0]) ?? 200 })
    },
    pause: async (wait, signal) => {
      waits.push(wait)
      const { promise, resolve } = Promise.withResolvers<void>()
      signal?.addEventListener('abort', () => resolve(), { once: true })
      if (waits.length <= pauses || signal?.aborted === true) resolve()
      await promise
    },
    ...changes,
  })
  const systemd = openSystemd(world, { warn: (...line: unknown[]) => void warnings.push(line) })
  return { systemd, told, environments, waits, warnings }
}

describe('systemd', () => {
  test('is told nothing where it has not started the gateway', async () => {
    const execute = async (): Promise<never> => assert.fail('nothing is executed')
    const { systemd } = openWorld({ WATCHDOG_USEC: '1000' }, { changes: { execute } })
    systemd.listening(URL)
    systemd.stopping()
    await systemd[Symbol.asyncDispose]()
  })

  test('is told that the gateway is ready, and that it stops', async () => {
    const { systemd, told, environments } = openWorld({ ...SOCKET, POMBO_MASTER_KEY: 'secret' })
    systemd.listening(URL)
    await settled()
    assert.deepEqual(told, ['READY=1'])
    systemd.stopping()
    await systemd[Symbol.asyncDispose]()
    assert.deepEqual(told, ['READY=1', 'STOPPING=1'])
    assert.deepEqual(environments, [SOCKET, SOCKET], 'and the program gets no secrets')
  })

  test('waits until a gateway that listens is ready', async () => {
    const { systemd, told, waits } = openWorld(SOCKET, { answers: [503, 503, 200] })
    systemd.listening(URL)
    await settled()
    assert.deepEqual([told, waits], [['READY=1'], [1_000, 1_000]])
    await systemd[Symbol.asyncDispose]()
  })

  test('never hears that a gateway is ready which stops before', async () => {
    const { systemd, told } = openWorld(SOCKET, { answers: [503] })
    systemd.listening(URL)
    await settled()
    systemd.stopping()
    await systemd[Symbol.asyncDispose]()
    assert.deepEqual(told, ['STOPPING=1'])
  })

  test('a connection that is refused means not ready', async () => {
    const fetch = async (): Promise<never> => {
      throw new TypeError('fetch failed')
    }
    const { systemd, told } = openWorld(SOCKET, { changes: { fetch } })
    systemd.listening(URL)
    await settled()
    assert.deepEqual(told, [])
    await systemd[Symbol.asyncDispose]()
  })
})

describe('the watchdog', () => {
  for (const watched of [undefined, `${process.pid}`, `${process.ppid}`]) {
    test(`is fed twice per interval if it watches ${watched === undefined ? 'the unit' : 'this process or its parent'}`, async () => {
      const env = { ...SOCKET, WATCHDOG_USEC: '60000000', WATCHDOG_PID: watched }
      const { systemd, told, waits } = openWorld(env, { pauses: 2 })
      systemd.listening(URL)
      await settled()
      assert.deepEqual(told, ['READY=1', 'WATCHDOG=1', 'WATCHDOG=1', 'WATCHDOG=1'])
      assert.deepEqual(waits, [30_000, 30_000, 30_000])
      systemd.stopping()
      await systemd[Symbol.asyncDispose]()
      assert.equal(told.at(-1), 'STOPPING=1')
    })
  }

  for (const env of [
    {},
    { WATCHDOG_USEC: '0' },
    { WATCHDOG_USEC: 'x' },
    { WATCHDOG_USEC: '1000', WATCHDOG_PID: '1' },
  ]) {
    test(`is not fed with ${JSON.stringify(env)}`, async () => {
      const { systemd, told } = openWorld({ ...SOCKET, ...env })
      systemd.listening(URL)
      await settled()
      assert.deepEqual(told, ['READY=1'])
      await systemd[Symbol.asyncDispose]()
    })
  }
})

describe('a systemd-notify that fails', () => {
  test('is logged once, and the gateway goes on', async () => {
    const execute = async (): Promise<never> => {
      throw new Error('spawn systemd-notify ENOENT')
    }
    const env = { ...SOCKET, WATCHDOG_USEC: '1000' }
    const { systemd, waits, warnings } = openWorld(env, { changes: { execute } })
    systemd.listening(URL)
    await settled()
    systemd.stopping()
    await systemd[Symbol.asyncDispose]()
    assert.equal(waits.length, 4, 'the watchdog would be fed if it worked again')
    assert.deepEqual(warnings, [
      [{ reason: 'spawn systemd-notify ENOENT' }, 'systemd: systemd-notify failed, state not reported'],
    ])
  })
})
