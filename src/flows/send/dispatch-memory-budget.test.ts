/** How much content a worker has in hand at once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { MemoryBudget } from '../../lib/memory-budget.ts'
import { later, seconds } from '../../lib/time.ts'
import { fakeMailer, MAIL_CONTENT, MAIL_SUBMISSION, openMailGateway } from '../email.fixture.ts'
import { ACCEPTS, START, slowProvider, spare } from '../gateway.fixture.ts'
import { dispatch } from './dispatch.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const HEAVY = { ...MAIL_SUBMISSION, content: { ...MAIL_CONTENT, html: `<p>${'x'.repeat(100 * 1024)}</p>` } }

test('a heavy mail waits while others fill the hold, and goes when they are unloaded', async () => {
  const { provider, called, answer } = slowProvider()
  const mailer = { ...provider, capabilities: { channels: ['email'], reports: 'callback' } } as const
  const gateway = openMailGateway(world, { providers: [mailer], deps: { budget: new MemoryBudget(150) } })
  const [first, second] = [await gateway.submit(HEAVY), await gateway.submit(HEAVY)]
  const sending = dispatch(gateway.deps, spare(first))
  await called
  assert.deepEqual(await dispatch(gateway.deps, spare(second)), { kind: 'later', at: later(START, seconds(2)) })
  assert.deepEqual(await gateway.kindsOf(second), ['MessageCreated'])
  answer(ACCEPTS)
  await sending
  const next = dispatch({ ...gateway.deps, providers: providersOf() }, spare(second))
  assert.deepEqual(await next, { kind: 'gone' })
})

test('what is light passes by, however full it is', async () => {
  const budget = new MemoryBudget(1)
  budget.take(100)
  const gateway = openMailGateway(world, { providers: [fakeMailer([ACCEPTS])], deps: { budget } })
  const id = await gateway.submit(MAIL_SUBMISSION)
  assert.deepEqual(await dispatch(gateway.deps, spare(id)), { kind: 'gone' })
})

test('a mail that cannot be sent leaves its room to others', async () => {
  const gateway = openMailGateway(world, { providers: [], deps: { budget: new MemoryBudget(150) } })
  const ids = [await gateway.submit(HEAVY), await gateway.submit(HEAVY)]
  for (const id of ids) await assert.rejects(dispatch(gateway.deps, spare(id)), /names no configured provider/)
})

const providersOf = () => {
  const mailer = fakeMailer([ACCEPTS])
  return new Map([[mailer.name, mailer]])
}
