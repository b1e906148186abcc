/** A real gateway, the real `systemd-notify`, and a socket in place of systemd. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Env, startPombo } from '../support/command.ts'
import { openFolder } from '../support/folder.ts'
import { settingsFor, startGateway } from '../support/gateway.ts'
import { skipUnavailable } from '../support/skip.ts'
import { until } from '../support/until.ts'
import { type NotifySocket, openNotifySocket } from './notify-socket.ts'
import { findProgram, missingPrograms } from './programs.ts'

const WATCHDOG_MS = 400

async function openSystemd(t: TestContext): Promise<NotifySocket | undefined> {
  const missing = missingPrograms('systemd-notify', 'python3')
  if (missing === undefined) return await openNotifySocket(findProgram('python3') ?? '')
  skipUnavailable(t, missing)
  return undefined
}

const watchedBy = ({ path }: NotifySocket): Env => ({
  NOTIFY_SOCKET: path,
  WATCHDOG_USEC: String(WATCHDOG_MS * 1_000),
})
const statesIn = ({ heard }: NotifySocket): readonly string[] => heard().filter((line) => /^[A-Z]+=1$/.test(line))
const pingsIn = (socket: NotifySocket): number => statesIn(socket).filter((state) => state === 'WATCHDOG=1').length

test('systemd hears that the gateway is ready, that it is alive, and that it stops', async (t) => {
  await using socket = await openSystemd(t)
  if (socket === undefined) return
  await using folder = await openFolder()
  await using gateway = await startGateway({ folder: folder.path, env: watchedBy(socket) })

  await until('the watchdog to be fed', () => pingsIn(socket) >= 3)
  assert.equal(statesIn(socket)[0], 'READY=1')
  assert.ok(socket.heard().includes(`STATUS=Ready at ${gateway.url}`))
  assert.equal((await gateway.call('GET', '/health/ready')).status, 200)

  const { code } = await gateway.kill('SIGTERM')
  assert.equal(code, 0)
  assert.equal(statesIn(socket).filter((state) => state === 'STOPPING=1').length, 1)
})

test('a gateway that hangs does not feed the watchdog', async (t) => {
  await using socket = await openSystemd(t)
  if (socket === undefined) return
  await using folder = await openFolder()
  const { pid, kill } = startPombo(['serve'], await settingsFor({ folder: folder.path, env: watchedBy(socket) }))
  await until('the watchdog to be fed', () => pingsIn(socket) >= 1)

  process.kill(pid, 'SIGSTOP')
  const pings = pingsIn(socket)
  const isFed = (): boolean => pingsIn(socket) > pings + 1 // One may have been on its way.
  await assert.rejects(until('pings', isFed, { withinMs: 2 * WATCHDOG_MS }), /timed out/)
  process.kill(pid, 'SIGCONT')
  await until('the watchdog to be fed again', isFed)
  await kill('SIGKILL')
})

test('a gateway without systemd-notify warns and works', async () => {
  await using folder = await openFolder()
  const env = { NOTIFY_SOCKET: `${folder.path}/nobody-listens`, PATH: folder.path }
  await using gateway = await startGateway({ folder: folder.path, env })
  await until('the warning', () => gateway.err().includes('systemd-notify failed'))
  const body = { to: '+15005550100', message: 'x', idempotency_key: 'one' }
  assert.equal((await gateway.call('POST', '/v1/sms/send', body)).status, 202)
  assert.equal((await gateway.kill('SIGTERM')).code, 0)
})
