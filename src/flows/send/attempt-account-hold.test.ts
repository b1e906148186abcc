import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { millis, seconds } from '../../lib/time.ts'
import { fakeMailer, MAIL_SUBMISSION, openMailGateway } from '../email.fixture.ts'
import { ACCEPTS } from '../gateway.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const PAUSED: SendOutcome = {
  kind: 'deferred',
  blame: 'account',
  code: 'SES_ACCOUNT_SENDING_PAUSED',
  detail: 'paused',
  retryAfter: millis(0),
}

test('after an account hold an email tries all providers again', async () => {
  const [first, second] = [fakeMailer([PAUSED, ACCEPTS], 'one'), fakeMailer([PAUSED, PAUSED], 'two')]
  const gateway = openMailGateway(world, { providers: [first, second] })
  const id = await gateway.submit(MAIL_SUBMISSION)
  await gateway.work()
  await gateway.work()
  assert.deepEqual((await gateway.stateOf(id)).excluded, undefined)
  gateway.pass(seconds(60))
  await gateway.work()
  const { handoffState, provider, attempt, attemptsBefore } = await gateway.stateOf(id)
  assert.deepEqual([handoffState, provider, attempt - attemptsBefore], ['handed_off', 'one', 1])
})
