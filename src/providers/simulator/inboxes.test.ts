import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attemptTo, mailTo, NEVER_ABORTED, setUp, TENANT } from './fixture.ts'
import { joinInboxes } from './inboxes.ts'

test('merges the inboxes of several simulators, newest first', async (t) => {
  const simulators = [(await setUp(t)).simulator, (await setUp(t)).simulator]
  const attempts = [attemptTo('+4712345678'), mailTo('ada@example.com'), attemptTo('+4712345678')]
  let times = 0
  for (const attempt of attempts) await simulators[times++ % 2]?.send(attempt, NEVER_ABORTED)

  const inbox = joinInboxes(simulators)
  const listed = await inbox.list({ tenantId: TENANT, limit: 10 })
  assert.deepEqual(listed.map(({ attemptId }) => attemptId).toSorted(), attempts.map(({ id }) => id).toSorted())
  assert.deepEqual(
    listed.map(({ receivedAt }) => receivedAt),
    listed.map(({ receivedAt }) => receivedAt).toSorted((one, other) => other - one),
  )
  assert.equal((await inbox.list({ tenantId: TENANT, limit: 2 })).length, 2)
  for (const [nth, { id }] of attempts.entries()) {
    const mail = await inbox.mail({ tenantId: TENANT, attemptId: id })
    assert.equal(mail?.to, nth === 1 ? 'ada@example.com' : undefined)
  }
})
