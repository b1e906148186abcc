import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_SUCH_MAILBOX, reportOn } from '../../../test/support/dsn.ts'
import type { SinkMail } from '../../../test/support/smtp-sink.ts'
import { someMailAttempt } from '../mail.fixture.ts'
import { openDsnReader } from './dsn-reader.ts'

const { ref } = someMailAttempt()
const MAIL = { raw: Buffer.from(''), to: [{ address: 'ana@mail.example', args: false }] } as unknown as SinkMail

test('a bounce is about the attempt that its address was made for', async () => {
  await using reader = openDsnReader()
  const [receipt, ...others] = await reader.read(reportOn(MAIL, NO_SUCH_MAILBOX), ref)
  assert.deepEqual([receipt?.ref, receipt?.state, receipt?.unauthenticated, others], [ref, 'bounced', true, []])
  assert.deepEqual([receipt?.about, receipt?.suppresses], ['ana@mail.example', 'hard_bounce'])
})

test('a bounce of very many lines does not hold up this thread', async () => {
  await using reader = openDsnReader()
  await reader.read(Buffer.from('warm'), ref)
  let turns = 0
  const counting = setInterval(() => {
    turns += 1
  }, 1)
  assert.deepEqual(await reader.read(Buffer.alloc(64 * 1024, 'a\r\n'), ref), [])
  clearInterval(counting)
  assert.ok(turns > 3, `${turns} turns`)
})
