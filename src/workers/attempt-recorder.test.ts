import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { openMemoryEngine } from '../../test/memory/memory.ts'
import { openIds } from '../engines/crypto/ids.ts'
import { openWebhookAttemptSealer } from '../engines/crypto/webhook-attempt-sealer.ts'
import { openWebhookSigner } from '../engines/crypto/webhook-signer.ts'
import { customers } from '../flows/webhooks/deliver-webhook.fixture.ts'
import { Unavailable } from '../ports/unavailable.ts'
import type { WebhookAttempts } from '../ports/webhook-attempts.ts'
import { AttemptRecorder, GATHER_ATTEMPTS_MS } from './attempt-recorder.ts'

const key = Buffer.alloc(32, 1)
const signer = openWebhookSigner(key)
const { delivered } = customers({ openEngine: openMemoryEngine, ids: openIds(), signer })

/** Four attempts, and a store that counts its calls. */
async function open(record?: WebhookAttempts['record']) {
  const opened = await delivered()
  await opened.deliverDue()
  const sizes: number[] = []
  const { log, attempts } = opened
  const webhookAttempts: WebhookAttempts = {
    ...opened.webhookAttempts,
    record: async (added) => {
      sizes.push(added.length)
      await (record ?? opened.webhookAttempts.record)(added)
    },
  }
  return { deps: { log, webhookAttempts, attemptSealer: openWebhookAttemptSealer(key) }, attempts, sizes }
}

const settle = async (): Promise<void> => {
  for (let n = 0; n < 20; n += 1) await setImmediate()
}

test('stores attempts together, a moment later', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { deps, attempts, sizes } = await open()
  await using recorder = new AttemptRecorder(deps, (error) => assert.fail(String(error)))
  for (const attempt of attempts) recorder.record(attempt)
  await settle()
  assert.deepEqual(sizes, [])
  t.mock.timers.tick(GATHER_ATTEMPTS_MS)
  await settle()
  assert.deepEqual(sizes, [attempts.length])
  for (const attempt of attempts) recorder.record(attempt)
  t.mock.timers.tick(GATHER_ATTEMPTS_MS)
  await settle()
  assert.deepEqual(sizes, [attempts.length, attempts.length])
})

test('stores what it has when it is disposed', async () => {
  const { deps, attempts, sizes } = await open()
  const recorder = new AttemptRecorder(deps, (error) => assert.fail(String(error)))
  for (const attempt of attempts) recorder.record(attempt)
  await recorder[Symbol.asyncDispose]()
  assert.deepEqual(sizes, [attempts.length])
})

test('holds a bounded number, and stores a few at a time', async () => {
  const { deps, attempts, sizes } = await open()
  const [attempt] = attempts
  assert.ok(attempt !== undefined)
  const recorder = new AttemptRecorder(deps, (error) => assert.fail(String(error)))
  for (let n = 0; n < 2_500; n += 1) recorder.record(attempt)
  await recorder[Symbol.asyncDispose]()
  assert.deepEqual(sizes, Array(20).fill(100))
})

test('reports a store that fails, and goes on with the next attempts', async () => {
  let isDown = true
  const faults: unknown[] = []
  const { deps, attempts, sizes } = await open(async () => {
    if (isDown) throw new Unavailable('no store')
  })
  const [attempt] = attempts
  assert.ok(attempt !== undefined)
  const recorder = new AttemptRecorder(deps, (error) => faults.push(error))
  recorder.record(attempt)
  await recorder[Symbol.asyncDispose]()
  assert.ok(faults.length === 1 && faults[0] instanceof Unavailable)
  isDown = false
  recorder.record(attempt)
  await recorder[Symbol.asyncDispose]()
  assert.deepEqual([sizes, faults.length], [[1, 1], 1])
})
