import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { type Command, startPombo } from '../../test/support/command.ts'
import { openFolder } from '../../test/support/folder.ts'
import { until } from '../../test/support/until.ts'
import { attemptTo, NEVER_ABORTED, received, summary } from '../providers/simulator/fixture.ts'
import { openCallbackServer, remoteTo, SECRET } from '../providers/simulator/remote-fixture.ts'
import { run } from './test-world.ts'

const env = { POMBO_SIMULATOR_SECRET: SECRET }
const stopSignal = () => AbortSignal.abort()

describe('a simulator', () => {
  test('prints its URL and ends when stopped', async () => {
    await using folder = await openFolder()
    const path = join(folder.path, 'new', 'simulator.db')
    const { code, out } = await run(['simulator', '--port', '0', '--path', path], { env, stopSignal })
    assert.equal(code, 0)
    assert.match(out, /^The simulator listens on http:\/\/127\.0\.0\.1:\d+\n/)
  })

  for (const [argv, message] of [
    [[], /^pombo: the secret must be 16 bytes or longer; .* set POMBO_SIMULATOR_SECRET\n/],
    [['--secret', 'short'], /^pombo: the secret must be 16 bytes or longer/],
    [['--secret', SECRET, '--port', '65536'], /^pombo: --port must be a number from 0 to 65535\n/],
    [['--secret', SECRET, '--error-rate', '-1'], /^pombo: /],
    [['--secret', SECRET, '--error-rate', '1.5'], /^pombo: --error-rate must be a number from 0 to 1\n/],
    [['--secret', SECRET, '--latency-ms', 'x'], /^pombo: --latency-ms must be a number from 0 to 3600000\n/],
  ] as const) {
    test(`rejects ${argv.join(' ')}`, async () => {
      const { code, err } = await run(['simulator', ...argv], { stopSignal })
      assert.equal(code, 2)
      assert.match(err, message)
      assert.doesNotMatch(err, new RegExp(SECRET))
    })
  }

  test('refuses a port or a file that is in use', async (t) => {
    await using folder = await openFolder()
    const path = join(folder.path, 'simulator.db')
    const { url } = await start(t, path)
    const port = new URL(url).port
    const other = await run(['simulator', '--port', port, '--path', `${path}.2`], { env, stopSignal })
    assert.equal(other.code, 69)
    assert.match(other.err, /^pombo: port \d+ on 127\.0\.0\.1 is in use; choose another with --port\n$/)
    const same = await run(['simulator', '--port', '0', '--path', path], { env, stopSignal })
    assert.equal(same.code, 73)
    assert.match(same.err, /is in use by another simulator or gateway/)
  })

  test('delivers pending receipts exactly once after a kill and a restart', async (t) => {
    await using folder = await openFolder()
    const path = join(folder.path, 'simulator.db')
    const webhook = await openCallbackServer(t)
    webhook.state.status = 503
    const first = await start(t, path)
    const remote = remoteTo(t, { url: first.url, callbackUrl: webhook.url })
    const attempts = Array.from({ length: 20 }, (_, nth) => attemptTo(`+4710000${100 + nth}`))
    const outcomes = await Promise.all(attempts.map((attempt) => remote.send(attempt, NEVER_ABORTED)))
    assert.deepEqual(new Set(outcomes.map(summary)), new Set(['accepted']))
    const slow = attemptTo('+15005550009')
    const cutOff = remote.send(slow, NEVER_ABORTED)
    await until('the slow attempt', async () => (await remote.lookup(slow.ref, slow.id)).kind === 'undetermined')
    await until('a refused receipt', () => webhook.state.refused > 0)
    await first.command.kill('SIGKILL')
    assert.equal(summary(await cutOff), 'unknown CONNECTION_LOST')
    webhook.state.status = 200

    const second = await start(t, path)
    const next = remoteTo(t, { url: second.url, callbackUrl: webhook.url })
    const last = attemptTo('+4710000999')
    await next.send(last, NEVER_ABORTED)
    await until('the last receipt', () => webhook.statesOf(last.ref.messageId).length > 0)
    const all = [...attempts, last]
    assert.deepEqual(
      webhook
        .receipts()
        .map(({ ref }) => ref.messageId)
        .toSorted(),
      all.map(({ ref }) => ref.messageId).toSorted(),
    )
    assert.deepEqual((await received(next)).toSorted(), all.map(({ id }) => id).toSorted())
    for (const { ref, id } of attempts) assert.equal((await next.lookup(ref, id)).kind, 'found')
    assert.deepEqual(await next.lookup(slow.ref, slow.id), { kind: 'absent' })
    assert.equal((await second.command.kill('SIGTERM')).code, 0)
  })
})

async function start(t: TestContext, path: string): Promise<Readonly<{ command: Command; url: string }>> {
  const command = startPombo(['simulator', '--port', '0', '--path', path, '--receipt-delay-ms', '50'], env)
  t.after(() => command.kill('SIGKILL'))
  const banner = /^The simulator listens on (\S+)\n/
  const [, url = ''] = await until('the simulator to listen', () => {
    if (command.hasEnded()) throw new Error(`the simulator ended before listening: ${command.err()}`)
    return banner.exec(command.out()) ?? undefined
  })
  return { command, url }
}
