/** Readiness: a disk that cannot be written, and a native module that does not load. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { appendFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { runPombo, startPombo } from '../support/command.ts'
import { openFolder } from '../support/folder.ts'
import { callerOf, dataDirOf, type Gateway, settingsFor, startGateway } from '../support/gateway.ts'
import { generate, someOtp } from '../support/otp.ts'
import { post, someSms } from '../support/sms.ts'
import { mountDisk, skipUnmounted } from '../support/tmpfs.ts'
import { until } from '../support/until.ts'

type Dependency = Readonly<{ ok: boolean; needed: boolean; detail?: string }>
type Readiness = Readonly<{ status: string; dependencies: Readonly<Record<string, Dependency>> }>
type Caller = Pick<Gateway, 'call'>

const readiness = ({ call }: Caller) => call<Readiness>('GET', '/health/ready')
const isReady = async (gateway: Caller): Promise<boolean> => (await readiness(gateway)).status === 200

async function assertNotReady(gateway: Caller, name: string, detail: RegExp): Promise<void> {
  const { status, body } = await readiness(gateway)
  assert.deepEqual([status, body.status], [503, 'not_ready'])
  const wrong = Object.entries(body.dependencies).filter(([, { ok }]) => !ok)
  assert.deepEqual(
    wrong.map(([which]) => which),
    [name],
  )
  assert.match(body.dependencies[name]?.detail ?? '', detail)
}

test('an idle gateway is not ready while its disk is full', async (t) => {
  await using folder = await openFolder()
  await using disk = await mountDisk(dataDirOf(folder.path), 'size=16m,mode=700')
  if (disk === undefined) return skipUnmounted(t)
  await using gateway = await startGateway({ folder: folder.path })
  assert.ok(await isReady(gateway))
  const filler = join(disk.path, 'filler')
  await assert.rejects(appendFile(filler, Buffer.alloc(16 * 1024 * 1024)), { code: 'ENOSPC' })
  await assertNotReady(gateway, 'log', /the disk is full/)
  await rm(filler)
  assert.ok(await isReady(gateway))
})

const run = promisify(execFile)
const BANNER = /^Pombo listens on (\S+)\n[\s\S]*^(ey\S+)$/m

test('a gateway is not ready while every write fails, with or without messages', async () => {
  await using folder = await openFolder()
  const gateway = startPombo(['serve'], await settingsFor({ folder: folder.path }))
  await using _killed = { [Symbol.asyncDispose]: () => gateway.kill('SIGKILL').then(() => undefined) }
  const [, url = '', token = ''] = await until('the gateway to listen', () => BANNER.exec(gateway.out()) ?? undefined)
  const caller = { call: callerOf(url, token) }
  assert.ok(await isReady(caller))

  // For the process this is like a read-only disk: no file may grow beyond one byte.
  const limit = (bytes: string) => run('prlimit', ['--pid', String(gateway.pid), `--fsize=${bytes}:unlimited`])
  await limit('1')
  await until('an idle gateway to notice', async () => !(await isReady(caller)), { everyMs: 200 })
  await assertNotReady(caller, 'log', /the database cannot be written: .*I\/O/)
  const { status } = await post(caller as Gateway, someSms())
  assert.equal(status, 503)
  await assertNotReady(caller, 'log', /cannot be written/)
  await limit('unlimited')
  assert.ok(await isReady(caller), 'the next check writes successfully')
  assert.equal((await post(caller as Gateway, someSms())).status, 202)
})

const BREAK = `
  import { registerHooks } from 'node:module'
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === '@node-rs/bcrypt') throw new Error('no native binding')
      return next(specifier, context)
    },
  })
`

test('a native module that does not load makes hashing of codes not ready, and doctor reports it', async () => {
  await using folder = await openFolder()
  const hooks = join(folder.path, 'hooks.mjs')
  await writeFile(hooks, BREAK)
  const env = { NODE_OPTIONS: `--import=${pathToFileURL(hooks)}` }
  await using gateway = await startGateway({ folder: folder.path, env })
  await assertNotReady(gateway, 'codes', /a code hashing thread has ended/)
  assert.equal((await generate(gateway, someOtp())).status, 503)
  await assertNotReady(gateway, 'codes', /./)
  assert.equal((await post(gateway, someSms())).status, 202, 'messages without codes are accepted')

  const { code, out } = await runPombo(['doctor'], await settingsFor({ folder: folder.path, env }))
  assert.equal(code, 1, out)
  assert.match(out, /^✗ codes: cannot be hashed: .*no native binding/m)
})

test('a healthy gateway can hash codes, and doctor reports it', async () => {
  await using folder = await openFolder()
  await using gateway = await startGateway({ folder: folder.path })
  const { body } = await readiness(gateway)
  assert.deepEqual(body.dependencies['codes'], { ok: true, needed: true })
  const { out } = await runPombo(['doctor'], await settingsFor({ folder: folder.path }))
  assert.match(out, /^✓ codes: can be hashed$/m)
  assert.match(out, /^✓ database: .*quick_check ok$/m)
})
