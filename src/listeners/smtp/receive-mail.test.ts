import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import type { SMTPServerDataStream } from 'smtp-server'
import { type ReceiveOptions, receiveMail } from './receive-mail.ts'
import { Reply } from './replies.ts'

const KB = 1024

/** Takes a mail of so many kilobytes, and tells what was reserved and released. */
async function receive(kilobytes: number, given: Partial<ReceiveOptions> = {}) {
  const stream = Object.assign(new PassThrough(), { byteLength: 0, sizeExceeded: false }) as SMTPServerDataStream
  const [reserved, hangUps]: [number[], string[]] = [[], []]
  let released = 0
  const reserve = (bytes: number) => {
    reserved.push(bytes)
    return () => {
      released += 1
    }
  }
  const hangUp = (text: string): void => {
    hangUps.push(text)
    stream.destroy(new Error('hung up'))
  }
  const options = { maxBytes: 1_000 * KB, announced: 0, reserve, hangUp, ...given }
  const receiving = receiveMail(stream, options).catch((error: unknown) => error)
  for (let sent = 0; sent < kilobytes && !stream.destroyed; sent += 10) {
    if (!stream.write(Buffer.alloc(10 * KB, 'x'))) await new Promise(setImmediate)
  }
  stream.end()
  const result = await receiving
  return { result, reserved, hangUps, released: () => released }
}

const codeOf = (result: unknown): unknown => (result instanceof Reply ? result.responseCode : result)

test('memory is reserved for large mails only: as announced, or for the largest', async () => {
  assert.deepEqual((await receive(50)).reserved, [])
  assert.deepEqual((await receive(200)).reserved, [1_000 * KB])
  assert.deepEqual((await receive(200, { announced: 300 * KB })).reserved, [300 * KB])
  assert.deepEqual((await receive(200, { announced: 1 })).reserved, [1_000 * KB])
})

test('without room the mail is read to its end and put off', async () => {
  const { result, hangUps } = await receive(200, { reserve: () => undefined })
  assert.deepEqual([codeOf(result), hangUps], ['452 4.3.1', []])
})

test('a mail that is too large is refused, and its memory released; one that never ends is cut off', async () => {
  const large = await receive(1_500)
  assert.deepEqual([codeOf(large.result), large.released(), large.hangUps], ['552 5.3.4', 1, []])
  const endless = await receive(10_000)
  assert.equal(endless.hangUps.length, 1)
})

test('where only the beginning is wanted, the rest is dropped', async () => {
  const { result, reserved } = await receive(500, { wantedBytes: 100 * KB, reserve: () => assert.fail() })
  assert.deepEqual([(result as { raw: Buffer }).raw.length, reserved], [100 * KB, []])
})
