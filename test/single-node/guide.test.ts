/** docs/single-node.md: what it names exists, and its drill works with the files that `pombo init` writes. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { parseEnvText } from '../../src/cli/init-files.ts'
import { SETTINGS } from '../../src/config/config.ts'
import { type Env, ROOT, startProgram } from '../support/command.ts'
import { openFolder } from '../support/folder.ts'
import { freePorts } from '../support/free-port.ts'
import { callerOf } from '../support/gateway.ts'
import { skipUnavailable } from '../support/skip.ts'
import { START_WITHIN_MS, until } from '../support/until.ts'

const GUIDE = readFileSync(join(ROOT, 'docs/single-node.md'), 'utf8')
/** The lines of its shell commands, without those that continue a command. */
const COMMANDS = [...GUIDE.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = '']) =>
  block
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line !== ''),
)
const LAUNCHER = join(ROOT, 'bin/pombo.cjs')

const runFile = promisify(execFile)
const pombo = (...args: readonly string[]) => runFile(process.execPath, [LAUNCHER, ...args])

test('the guide shows commands and options that exist', async () => {
  const calls = COMMANDS.flatMap((line) => {
    const [, name, rest = ''] = /^[\w/.]*\bpombo (?:POMBO_\S+ )*([a-z]+)(.*)$/.exec(line.replace(/ {2,}#.*/, '')) ?? []
    return name === undefined ? [] : [{ name, options: rest.match(/--[a-z-]+/g) ?? [] }]
  })
  const helps = new Map<string, string>()
  for (const { name } of calls) if (!helps.has(name)) helps.set(name, (await pombo(name, '--help')).stdout)
  assert.deepEqual([...helps.keys()].toSorted(), [
    ...['backup', 'doctor', 'init', 'migrate', 'restore', 'search', 'serve', 'users'],
  ])
  for (const { name, options } of calls)
    for (const option of options) assert.match(helps.get(name) ?? '', new RegExp(`^ +${option} `, 'm'))
})

test('the guide names settings and files that exist', () => {
  const settings = new Set(SETTINGS.map(([, { env }]) => env))
  for (const [name] of GUIDE.matchAll(/\bPOMBO_[A-Z_]+/g)) assert.ok(settings.has(name), name)
  for (const [, path = ''] of GUIDE.matchAll(/\]\(([\w./-]+)/g)) assert.ok(existsSync(join(ROOT, 'docs', path)), path)
})

test('the guide explains the steps that pombo init prints', async () => {
  await using folder = await openFolder()
  const url = ['--public-url', 'https://pombo.example.com', '--provider', 'simulator']
  for (const proxy of ['caddy', 'nginx']) {
    const dir = join(folder.path, proxy)
    const { stdout } = await pombo('init', '--dir', dir, ...url, '--proxy', proxy)
    const steps = stdout.split('\n').filter((line) => line.startsWith('  ') && !/ 0\d{3} /.test(line))
    assert.ok(steps.length >= 9)
    for (const step of steps) {
      const command = step.trim().replaceAll(dir, '/etc/pombo').replace('you@example.com', 'ana@example.com')
      assert.ok(COMMANDS.includes(command), command)
    }
  }
})

test('the backup of the unit survives the drill', async (t: TestContext) => {
  if (process.getuid?.() !== 0) return skipUnavailable(t, 'only root can run commands as a service does')
  await using folder = await openFolder()
  const [port = 0, drillPort = 0] = await freePorts(2)
  const dir = join(folder.path, 'etc')
  const where = ['--dir', dir, '--data-dir', join(folder.path, 'pombo'), '--user', 'root', '--port', String(port)]
  await pombo('init', ...where, '--public-url', 'http://127.0.0.1:8080', '--provider', 'simulator', '--proxy', 'none')
  mkdirSync(join(folder.path, 'pombo-backups'))

  const env: Env = { PATH: `${dir}:${process.env['PATH']}` }
  const sh = (script: string) => runFile('sh', ['-euc', script], { env })
  await using _gateway = await serving('pombo serve', port, env)
  const { stdout: token } = await sh('pombo token')
  const call = callerOf(`http://127.0.0.1:${port}`, token.trim())
  const sent = await call<{ id: string }>('POST', '/v1/sms/send', {
    to: '+15005550100',
    message: 'x',
    idempotency_key: '1',
  })
  assert.equal(sent.status, 202)

  const unit = readFileSync(join(dir, 'pombo-backup.service'), 'utf8')
  const [, line = ''] = /^ExecStart=(.*)$/m.exec(unit) ?? []
  const asSystemd = line.replaceAll('%%', '%').replaceAll('$$', '$')
  await runFile('sh', ['-c', asSystemd], {
    env: { ...env, ...parseEnvText(readFileSync(join(dir, 'pombo.env'), 'utf8')) },
  })

  assert.match(readdirSync(join(folder.path, 'pombo-backups')).join(), /^pombo-20\d{6}T\d{6}Z\.db$/)

  const [, section = ''] = /### Drill\n(.*?)\n### /s.exec(GUIDE) ?? []
  const steps = [...section.matchAll(/```sh\n(.*?)```/gs)]
    .map(([, block = '']) => block)
    .join('')
    .replaceAll('/var/lib/', `${folder.path}/`)
    .replaceAll('pombo -g pombo', 'root -g root')
    .replaceAll('8099', String(drillPort))
  const serve = /^pombo .* serve .*$/m.exec(steps)?.[0] ?? ''
  const [before = '', after = ''] = steps.split(serve)
  await sh(before)
  {
    await using _drill = await serving(serve, drillPort, env)
    assert.match((await sh(after)).stdout, new RegExp(`  ${sent.body.id}  `))
  }
})

/** Runs the line until the result is disposed of, as Ctrl+C does. */
async function serving(line: string, port: number, env: Env): Promise<AsyncDisposable> {
  const command = startProgram('sh', ['-c', `exec ${line}`], { env })
  await until('the gateway to be ready', () => isReady(port, command), { withinMs: START_WITHIN_MS })
  return {
    async [Symbol.asyncDispose]() {
      await command.kill('SIGTERM')
    },
  }
}

async function isReady(port: number, { hasEnded, err }: ReturnType<typeof startProgram>): Promise<boolean> {
  if (hasEnded()) throw new Error(`it ended: ${err()}`)
  return await fetch(`http://127.0.0.1:${port}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  )
}
