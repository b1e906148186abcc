/** Only its owner can read what a gateway writes, whatever the umask it is started with and the mode of the folder. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type Env, ROOT } from '../support/command.ts'
import { openFolder } from '../support/folder.ts'
import { callerOf, dataDirOf, type Gateway, settingsFor } from '../support/gateway.ts'
import { send, untilStatus } from '../support/sms.ts'
import { START_WITHIN_MS, until } from '../support/until.ts'

const MAIN = join(ROOT, 'src', 'main.ts')
/** Without main.ts, which sets the umask. */
const WITHOUT_UMASK = join(ROOT, 'test', 'support', 'any-umask-main.ts')

/** Runs a program with a umask that takes nothing away. */
function run(main: string, args: readonly string[], env: Env) {
  const script = 'umask 000 && exec "$0" "$@"'
  const child = spawn('sh', ['-c', script, process.execPath, main, ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.err += text
  })
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  const kill = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    child.kill(signal)
    await ended
  }
  return { output, ended, kill, [Symbol.asyncDispose]: () => kill('SIGKILL') }
}

async function start(main: string, env: Env) {
  const running = run(main, main === MAIN ? ['serve'] : [], env)
  const [, url = '', token = ''] = await until(
    'the gateway to listen',
    () => /^Pombo listens on (\S+)\n[\s\S]*^(ey\S+)$/m.exec(running.output.out) ?? undefined,
    { withinMs: START_WITHIN_MS },
  )
  return { ...running, gateway: { url, token, call: callerOf(url, token) } as Gateway }
}

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

/** Each file in a folder with its mode. */
const modesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, modeOf(join(folder, name))]))

function assertPrivate(folder: string, ...expected: readonly string[]): void {
  const modes = modesIn(folder)
  for (const name of expected) assert.ok(name in modes, `${name} is not among ${Object.keys(modes)}`)
  assert.deepEqual(modes, Object.fromEntries(Object.keys(modes).map((name) => [name, '600'])))
}

const USED = [
  'pombo.db',
  'pombo.db-wal',
  'pombo.db-shm',
  'pombo-journal.db',
  'pombo-journal.db-wal',
  'pombo.lock',
  'simulator.db',
  'master.key',
  'jwt.secret',
]

describe('the files of a gateway belong to its owner alone', () => {
  for (const [name, main] of [
    ['as it is started', MAIN],
    ['without help from the umask', WITHOUT_UMASK],
  ] as const) {
    test(`${name}, also after a crash and in a folder for everybody`, async () => {
      await using folder = await openFolder()
      const data = dataDirOf(folder.path)
      mkdirSync(data)
      chmodSync(data, 0o777)
      const env = await settingsFor({ folder: folder.path })
      {
        await using first = await start(main, env)
        await untilStatus(first.gateway, await send(first.gateway), 'delivered')
        assertPrivate(data, ...USED)
        await first.kill('SIGKILL')
        assertPrivate(data, ...USED)
      }
      await using second = await start(main, env)
      await untilStatus(second.gateway, await send(second.gateway), 'delivered')
      assertPrivate(data, ...USED)
      assert.doesNotMatch(second.output.err, /other users could read/)
      await second.kill('SIGTERM')
      assertPrivate(data, 'pombo.db', 'simulator.db')
    })
  }

  test('so do a backup and what is restored from it', async () => {
    await using folder = await openFolder()
    const env = await settingsFor({ folder: folder.path })
    const data = dataDirOf(folder.path)
    await using first = await start(MAIN, env)
    await untilStatus(first.gateway, await send(first.gateway), 'delivered')
    const file = join(folder.path, 'backup.db')
    assert.equal(await run(MAIN, ['backup', file, '--with-keys'], env).ended, 0)
    assert.equal(modeOf(file), '600')
    await first.kill('SIGTERM')

    chmodSync(file, 0o644)
    const restored = await settingsFor({ folder: join(folder.path), env: { POMBO_DATA_DIR: `${data}-restored` } })
    mkdirSync(`${data}-restored`)
    chmodSync(`${data}-restored`, 0o755)
    assert.equal(await run(MAIN, ['restore', file], restored).ended, 0)
    assertPrivate(`${data}-restored`, 'pombo.db', 'master.key', 'jwt.secret')
  })

  test('files that others could read are taken away from them at the start, each with a line in the log', async () => {
    await using folder = await openFolder()
    const env = await settingsFor({ folder: folder.path })
    const data = dataDirOf(folder.path)
    {
      await using first = await start(MAIN, env)
      await untilStatus(first.gateway, await send(first.gateway), 'delivered')
      await first.kill('SIGKILL')
    }
    for (const name of USED) chmodSync(join(data, name), 0o644)
    await using second = await start(MAIN, env)
    assertPrivate(data, ...USED)
    const told = second.output.err.split('\n').filter((line) => line.includes('other users could read'))
    assert.deepEqual(
      told.map((line) => JSON.parse(line).file).toSorted(),
      USED.map((name) => join(data, name)).toSorted(),
    )
    assert.ok(told.every((line) => JSON.parse(line).mode === '644'))
  })
})
