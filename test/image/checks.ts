/** What a container of the image must do: what the documentation promises, with nothing but a volume and two settings. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { someMail } from '../support/email.ts'
import { type Call, callerOf, type Gateway } from '../support/gateway.ts'
import { codeAt, freshMailbox, generate, someOtp, validate } from '../support/otp.ts'
import { freshNumber, inboxOf, search, send, untilStatus } from '../support/sms.ts'
import { START_WITHIN_MS, until } from '../support/until.ts'
import type { Image } from './build.ts'
import { type Container, type ContainerOptions, startContainer } from './container.ts'

export type OnCheck = (name: string, millis: number) => void

type Site = Readonly<{ image: Image; container: Container; gateway: Pick<Gateway, 'call'> }>

/** `volume` is the folder of a new volume. */
export async function checkImage(image: Image, volume: string, onCheck: OnCheck): Promise<void> {
  const check = async <Result>(name: string, act: () => Promise<Result>): Promise<Result> => {
    const begunAt = performance.now()
    const result = await act()
    onCheck(name, performance.now() - begunAt)
    return result
  }
  const options: ContainerOptions = {
    volumes: Object.fromEntries(image.volumes.map((path) => [path, volume])),
    env: { POMBO_JWT_SECRET: randomBytes(32).toString('hex'), POMBO_SIMULATOR: 'allowed' },
  }
  const site = await check('starts, and its health check succeeds', () => start(image, options))
  await check('has one Node', async () => checkNode(image))
  await check('runs as its user, who can write to /data only', () => checkRights(site))
  const sent = await check('delivers an SMS', () => sendSms(site))
  await check('sends from its command line', () =>
    runPombo(site, 'send', '--to', freshNumber(), '--message', 'Hello', '--wait'),
  )
  await check('delivers a mail', () => sendMail(site))
  await check('generates and validates a one-time code', () => checkCode(site))
  await check('serves the console', () => checkConsole(site))
  await check('doctor finds nothing wrong', () => runPombo(site, 'doctor'))
  await check('makes a backup', () => runPombo(site, 'backup', '/data/backup.db'))
  await check('stops when it is told to', () => stop(site))
  const again = await check('starts again', () => start(image, options))
  await check('still has its data', () => checkKept(again, sent))
  await check('stops again', () => stop(again))
}

async function start(image: Image, options: ContainerOptions): Promise<Site> {
  const container = await startContainer(image, options)
  const port = image.env['POMBO_PORT'] ?? ''
  const isHealthy = async (): Promise<boolean> => {
    if (container.hasEnded()) throw new Error(`the container ended:\n${container.output()}`)
    return (await container.exec(...image.healthcheck)).code === 0
  }
  await until('the health check to succeed', isHealthy, { withinMs: START_WITHIN_MS })
  const { code, out, err } = await container.exec('pombo', 'token', '--scope', 'operator')
  assert.equal(code, 0, err)
  const call: Call = callerOf(`http://127.0.0.1:${port}`, out.trim())
  const { status, text } = await call('GET', '/health/ready')
  assert.equal(status, 200, text)
  return { image, container, gateway: { call } }
}

/** npm brings another, for those who install Pombo where there is none. */
function checkNode({ root, cwd }: Image): void {
  const packages = readdirSync(join(root, cwd, 'node_modules'))
  assert.ok(packages.includes('fastify'))
  assert.deepEqual(
    packages.filter((name) => name.startsWith('node-')),
    [],
  )
}

async function checkRights({ image: { user, volumes }, container: { pid, exec } }: Site): Promise<void> {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  assert.equal(user, 10_001)
  assert.match(status, new RegExp(`^Uid:\\t${user}\\t${user}\\t${user}\\t${user}$`, 'm'))
  assert.match(status, /^CapEff:\t0+$/m)
  assert.match(status, /^NoNewPrivs:\t1$/m)
  assert.deepEqual(volumes, ['/data'])
  for (const path of ['/tmp/x', '/app/x', '/app/.cache/x', '/x']) {
    const { err } = await exec('touch', path)
    assert.match(err, /Read-only file system|Permission denied/, path)
  }
  const { code, err } = await exec('touch', '/data/x')
  assert.equal(code, 0, err)
}

async function sendSms({ gateway }: Site): Promise<string> {
  const to = freshNumber()
  const id = await send(gateway as Gateway, { to })
  await untilStatus(gateway as Gateway, id, 'delivered')
  assert.equal((await inboxOf(gateway, to)).length, 1)
  return id
}

async function sendMail({ gateway }: Site): Promise<void> {
  const mail = someMail({ to: freshMailbox(), from: 'Acme <no-reply@acme.example>', subject: 'Your aubergines' })
  const { status, text, body } = await gateway.call<{ request_id: string }>('POST', '/v1/email/send', mail)
  assert.equal(status, 202, text)
  await untilStatus(gateway as Gateway, body.request_id, 'delivered')
  const { items } = await search(gateway as Gateway, { q: 'aubergines' })
  assert.equal(items.length, 1)
}

async function checkCode({ gateway }: Site): Promise<void> {
  const request = someOtp()
  const { status, text, body } = await generate(gateway, request)
  assert.equal(status, 202, text)
  const validated = await validate(gateway, body.challenge_id, await codeAt(gateway, request.to))
  assert.equal(validated.body.status, 'verified', validated.text)
}

async function checkConsole({ gateway: { call } }: Site): Promise<void> {
  const page = await call('GET', '/console/')
  assert.equal(page.status, 200, page.text)
  const [script = ''] = /\/console\/assets\/[^"]+\.js/.exec(page.text) ?? []
  assert.equal((await call('GET', script)).status, 200)
}

async function runPombo({ container }: Site, ...args: readonly string[]): Promise<void> {
  const { code, out, err } = await container.exec('pombo', ...args)
  assert.equal(code, 0, out + err)
}

async function stop({ container }: Site): Promise<void> {
  const { code, err } = await container.stop()
  assert.equal(code, 0, err)
  assert.match(err, /shutting down/)
}

async function checkKept({ gateway }: Site, id: string): Promise<void> {
  await untilStatus(gateway as Gateway, id, 'delivered')
  const { items } = await search(gateway as Gateway, { q: 'aubergines' })
  assert.equal(items.length, 1)
}
