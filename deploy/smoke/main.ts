/**
 * Tries out an installation: starts the gateway on an empty data folder, makes every thread and every lazily loaded
 * module do something, and stops it again. The build of the image runs this, so an image that lacks one is never made.
 * The arguments are the command that starts Pombo: `node deploy/smoke/main.ts node src/main.ts`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHECKS } from './checks.ts'
import { runPombo, startGateway } from './gateway.ts'
import { freePort, openHttpReceiver, openSmtpReceiver } from './receivers.ts'
import { settingsFor } from './settings.ts'

const command = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'pombo-smoke-'))
await using receivers = new AsyncDisposableStack()
receivers.defer(() => rmSync(folder, { recursive: true, force: true }))

const smtp = receivers.use(await openSmtpReceiver())
const http = receivers.use(await openHttpReceiver())
const submission = await freePort()
const env = settingsFor(folder, { smtp: smtp.port, http: http.port, submission })

async function check(name: string, act: () => Promise<unknown>): Promise<void> {
  const begunAt = performance.now()
  await act()
  console.log(`smoke: ${name} (${Math.round(performance.now() - begunAt)} ms)`)
}

async function checkGateway(): Promise<void> {
  const gateway = await startGateway(command, env)
  try {
    for (const [name, act] of Object.entries(CHECKS)) await check(name, () => act({ gateway, smtp, http, submission }))
    await check('stops', () => gateway.stop())
  } finally {
    gateway.end()
    process.stderr.write(gateway.errors())
  }
}

await checkGateway()
// The gateway exports what it still has when it stops.
if (!http.paths().includes('/v1/traces')) throw new Error('no traces were exported')
await check('doctor finds nothing wrong', () => runPombo(command, ['doctor'], env))
