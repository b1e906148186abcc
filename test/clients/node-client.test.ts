/** The Node client against a live gateway: on this Node and on the system's, in a browser, and as its README says. */
import assert from 'node:assert/strict'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { missingChromium } from '../support/browser.ts'
import { ROOT } from '../support/command.ts'
import { skipUnavailable } from '../support/skip.ts'
import { runInBrowser } from './in-browser.ts'
import { findNodes, installNodeClient, readManifest, run } from './node-client.ts'
import { readBlocks } from './readme.ts'
import { checkSummary } from './scenario.ts'
import { openWorld } from './world.ts'

/** After the README: an endpoint for its server, a webhook of ours and a forged one. */
const README_EPILOGUE = `
const { port } = server.address()
const hook = \`http://127.0.0.1:\${port}/hooks\`
const endpoint = await pombo.endpoints.add({ url: hook, events: ['message.delivered'] })
process.env.WEBHOOK_SECRET = endpoint.secret
const delivered = new Promise((resolve) => server.on('request', (_, answer) => answer.on('finish', resolve)))
const last = await pombo.sms.send({ to: '+15554000001', message: 'Hi' })
await delivered
console.log('last', last.id)
console.log('forged', (await fetch(hook, { method: 'POST', body: '{}' })).status)
await pombo.endpoints.remove(endpoint.id)
process.exit()
`

const USES = `
import { Pombo, type PomboEvent, PomboError, type WebhookEvent } from 'pombo-client'
declare const pombo: Pombo, event: PomboEvent, webhook: WebhookEvent
if (event.name === 'email.outbound.retry.v1') event.data.dueAt satisfies string
if (webhook.type === 'message.failed') webhook.data.error_code satisfies string | null
if (webhook.type === 'quota.warning') webhook.data.limit satisfies number
for await (const { data } of pombo.events.stream({ event: 'sms.events.status.v1' })) data.newStatus satisfies string
const page = await pombo.messages.list({ total: true }).page()
page.total?.value satisfies number | undefined
// @ts-expect-error A message has no text.
page.items[0]?.text
// @ts-expect-error There is no such status.
await pombo.messages.waitFor('id', 'arrived')
// @ts-expect-error There is no such code.
new PomboError({ code: 'RATE_LIMTED', detail: '' })
// @ts-expect-error The field is to.
await pombo.sms.send({ recipient: '+5511987654321' })
`

const COMPILERS = [
  ['TypeScript 7 with nodenext', 'node_modules/typescript/bin/tsc', 'nodenext'],
  ['TypeScript 5 with bundler', 'console/node_modules/typescript/bin/tsc', 'bundler'],
] as const

await describe('the Node client', { timeout: 300_000 }, async () => {
  const world = await openWorld()
  const client = await installNodeClient(world.folder)
  cpSync(join(import.meta.dirname, 'scenario.mjs'), join(client.home, 'scenario.mjs'))

  test('has JavaScript, types, a README and a license, and depends on nothing', () => {
    const kinds = new Set(client.files.map((file) => (file.startsWith('dist/') ? file.replace(/^.*?\./, '.') : file)))
    assert.deepEqual([...kinds].toSorted(), ['.d.ts', '.js', 'LICENSE', 'README.md', 'package.json'])
    const { dependencies, peerDependencies, optionalDependencies } = readManifest(client)
    assert.deepEqual([dependencies, peerDependencies, optionalDependencies], [undefined, undefined, undefined])
  })

  for (const node of findNodes()) {
    test(`sends, waits, retries, lists, streams and verifies on ${node === process.execPath ? 'this Node' : node}`, async (t) => {
      const { out } = await run(node, ['scenario.mjs'], client.home, world.env)
      checkSummary(JSON.parse(out))
      t.diagnostic(`Node ${(await run(node, ['--version'], client.home)).out.trim()}`)
    })
  }

  for (const [name, compiler, resolution] of COMPILERS) {
    test(`has types for ${name}`, async () => {
      const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true }
      const platform = { target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'], types: [] }
      const modules = { module: resolution === 'nodenext' ? 'nodenext' : 'esnext', moduleResolution: resolution }
      const files = { 'uses.ts': USES, 'readme.ts': readBlocks('node', 'ts') }
      const config = { compilerOptions: { ...strict, ...platform, ...modules }, files: Object.keys(files) }
      for (const [file, text] of Object.entries({ ...files, 'tsconfig.json': JSON.stringify(config) }))
        writeFileSync(join(client.home, file), text)
      await run(process.execPath, [join(ROOT, compiler), '-p', '.'], client.home)
    })
  }

  test('works in a browser', async (t) => {
    const missing = missingChromium()
    if (missing !== undefined) return skipUnavailable(t, missing)
    assert.deepEqual(await runInBrowser(client, world), {
      status: 'delivered',
      listed: true,
      streamed: 'delivered',
      verified: 'message.sent',
      refused: 'WebhookVerificationError',
      code: 'VALIDATION_ERROR',
    })
  })

  test('does what its README says', async () => {
    const code = readBlocks('node', 'js').replace('server.listen(3000)', "server.listen(0, '127.0.0.1')")
    writeFileSync(join(client.home, 'readme.mjs'), code + README_EPILOGUE)
    const { out } = await run(process.execPath, ['readme.mjs'], client.home, world.env)
    const [, id] = /^last (\S+)$/m.exec(out) ?? []
    assert.ok(id !== undefined && out.includes(`${id} was delivered`), out)
    assert.match(out, /^delivered simulator$/m)
    assert.match(out, /^VALIDATION_ERROR 400 .+\n\/to /m)
    assert.match(out, /^forged 400$/m)
  })
})
