/**
 * Postfix relays thousands of mails through a gateway that is killed on the way, and each must be stored exactly once:
 * `npm run smtp-relay -- --mails 10000 --kills 5`. It needs root and Postfix.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openFolder } from '../support/folder.ts'
import { freePorts } from '../support/free-port.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { missingPostfix, openPostfix } from '../support/postfix.ts'
import { until } from '../support/until.ts'
import { idsIn } from './smtp-listener-site.fixture.ts'

const { values } = parseArgs({
  options: { mails: { type: 'string', default: '10000' }, kills: { type: 'string', default: '5' } },
})
const [mails, kills] = [Number(values.mails), Number(values.kills)]
const missing = missingPostfix()
if (missing !== undefined) throw new Error(missing)

await using opened = new AsyncDisposableStack()
const { path: folder } = opened.use(await openFolder())
const [port = 0, smtpPort = 0] = await freePorts(2)
const env = { POMBO_PORT: String(port), POMBO_SMTP_PORT: String(smtpPort) }
let gateway = await startGateway({ folder, env })
opened.defer(() => gateway[Symbol.asyncDispose]())
const made = await gateway.call<{ key: string }>('POST', '/v1/api-keys', { name: 'relay', scopes: ['email:send'] })
const postfix = opened.use(await openPostfix({ port: smtpPort, key: made.body.key }))

const startedAt = performance.now()
const injecting = postfix.inject(mails, 'relayed.example')
for (let kill = 1; kill <= kills; kill += 1) {
  const due = Math.floor((mails * kill) / (kills + 1))
  await until(`mail ${due}`, async () => (await sentMails()).length >= due, { withinMs: 600_000, everyMs: 250 })
  await gateway.kill('SIGKILL')
  // Postfix must meet a gateway that is not there, too.
  await wait(500)
  gateway = await startGateway({ folder, env })
  console.log(`killed after ${due} of ${mails} mails`)
}
await injecting
await until('the queues to be empty', async () => (await postfix.waiting()) === 0, { withinMs: 600_000, everyMs: 500 })
const tookMs = performance.now() - startedAt

const lines = (await postfix.log()).split('\n')
const sent = await sentMails()
const ids = new Set(sent.flatMap((line) => idsIn(line.slice(line.indexOf('queued as')))))
const listed = await listAll(gateway)
const figures = {
  mails,
  kills,
  'sent by Postfix': sent.length,
  'tried again by Postfix': lines.filter((line) => line.includes('status=deferred')).length,
  bounced: lines.filter((line) => line.includes('status=bounced')).length,
  'distinct ids in replies': ids.size,
  'stored messages': listed.size,
  lost: mails - [...ids].filter((id) => listed.has(id)).length,
  doubled: listed.size - ids.size,
  seconds: Math.round(tookMs / 1000),
  'mails per second': Math.round(mails / (tookMs / 1000)),
}
console.table(figures)
const isRight = figures.lost === 0 && figures.doubled === 0 && sent.length === mails
console.log(isRight ? 'passed' : 'FAILED')
process.exitCode = isRight ? 0 : 1

async function sentMails(): Promise<readonly string[]> {
  return (await postfix.log()).split('\n').filter((line) => line.includes('status=sent'))
}

async function listAll({ call }: Gateway): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (let cursor: string | null = ''; cursor !== null; ) {
    const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const { body } = await call<Page>('GET', `/v1/messages?limit=100${after}`)
    for (const { id } of body.items) found.add(id)
    cursor = body.next_cursor
  }
  return found
}

type Page = Readonly<{ items: readonly Readonly<{ id: string }>[]; next_cursor: string | null }>
