/** The disk of a running gateway fills up and is freed again: no accepted message is lost. */
import assert from 'node:assert/strict'
import { appendFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openFolder } from '../support/folder.ts'
import { dataDirOf, type Gateway, startGateway } from '../support/gateway.ts'
import { QUICK } from '../support/routes.ts'
import { post, search, send, show, someSms, untilStatus } from '../support/sms.ts'
import { mountDisk, skipUnmounted } from '../support/tmpfs.ts'
import { until } from '../support/until.ts'

/** Space for the write-ahead log, which is larger than the database. */
const DISK = 'size=64m,mode=700'
const BALLAST_BYTES = 16 * 1024 * 1024
const FILL_BYTES = 64 * 1024
const PAUSE_MS = 5
const TERMINAL = new Set(['delivered', 'failed', 'expired'])

/** Fills the disk and returns how much was written. */
async function fill(path: string): Promise<number> {
  for (let written = 0; ; written += FILL_BYTES) {
    try {
      await appendFile(path, Buffer.alloc(FILL_BYTES))
    } catch (error) {
      assert(error instanceof Error && 'code' in error && error.code === 'ENOSPC')
      return written
    }
  }
}

type Sending = AsyncDisposable &
  Readonly<{ accepted: readonly string[]; refused: () => number; retryAfter: ReadonlySet<string | null> }>

/** Clients that send until disposed, whatever the answers are. */
function startSending(gateway: Gateway): Sending {
  const [accepted, retryAfter] = [[] as string[], new Set<string | null>()]
  const stop = new AbortController()
  let refused = 0
  const call = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const sms = someSms({ tags: ['full'], metadata: { pad: 'x'.repeat(400) } })
      const { status, body, headers, text } = await post(gateway, sms)
      if (status === 202) accepted.push(body.request_id)
      else {
        assert.equal(status, 503, text)
        assert.equal(headers.get('content-type'), 'application/problem+json')
        retryAfter.add(headers.get('retry-after'))
        refused += 1
      }
      await wait(PAUSE_MS)
    }
  }
  const callers = Promise.all([1, 2, 3, 4].map(call))
  return {
    accepted,
    refused: () => refused,
    retryAfter,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await callers
    },
  }
}

test('a full disk is answered with 503 until space is free, and no accepted message is lost', async (t) => {
  await using folder = await openFolder()
  await using disk = await mountDisk(dataDirOf(folder.path), DISK)
  if (disk === undefined) return skipUnmounted(t)
  const ballast = join(disk.path, 'ballast')
  await writeFile(ballast, Buffer.alloc(BALLAST_BYTES))
  // An attempt whose outcome could not be stored has an unknown outcome after twice this time.
  const env = { POMBO_PROVIDER_TIMEOUT_SECONDS: '2' }
  await using gateway = await startGateway({ folder: folder.path, config: QUICK, env })
  const early = await send(gateway)
  await untilStatus(gateway, early, 'delivered')

  await using sending = startSending(gateway)
  await until('some load', () => sending.accepted.length >= 100)
  assert((await search(gateway, { tag: 'full', limit: '1' })).items.length > 0)
  await fill(join(disk.path, 'filler'))
  await until('the disk to be full for every caller', () => sending.refused() >= 50)
  assert.deepEqual([...sending.retryAfter], ['1'])

  assert.equal(gateway.hasEnded(), false)
  assert.equal((await show(gateway, early)).status, 'delivered')
  assert.equal((await gateway.call('GET', '/health/live')).status, 200)
  const ready = await gateway.call<{ dependencies: { log: { ok: boolean } } }>('GET', '/health/ready')
  assert.deepEqual([ready.status, ready.body.dependencies.log.ok], [503, false])
  assert.equal((await gateway.call('GET', `/v1/sms/${sending.accepted.at(-1)}`)).status, 200)
  assert(
    (await search(gateway, { tag: 'full', limit: '1' })).items.length > 0,
    'what was indexed before is found on a full disk',
  )

  const before = sending.accepted.length
  await rm(ballast)
  await until('messages to be accepted again', () => sending.accepted.length >= before + 50)
  await until('the gateway to be ready', async () => (await gateway.call('GET', '/health/ready')).status === 200)
  await rm(join(disk.path, 'filler'))
  await sending[Symbol.asyncDispose]()
  for (const id of sending.accepted) {
    await until(`${id} to end`, async () => TERMINAL.has((await show(gateway, id)).status), { withinMs: 60_000 })
  }
  t.diagnostic(`${sending.accepted.length} accepted, ${sending.refused()} refused`)
  assert.equal((await gateway.kill('SIGTERM')).code, 0)
})
