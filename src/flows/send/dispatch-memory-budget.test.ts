/** The memory budget for message contents in flight. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { MemoryBudget } from '../../lib/memory-budget.ts'
import { later, seconds } from '../../lib/time.ts'
import { fakeMailer, MAIL_CONTENT, MAIL_SUBMISSION, openMailGateway } from '../email.fixture.ts'
import { ACCEPTS, jobFor, START, slowProvider } from '../gateway.fixture.ts'
import { dispatch } from './dispatch.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const LARGE = { ...MAIL_SUBMISSION, content: { ...MAIL_CONTENT, html: `<p>${'x'.repeat(100 * 1024)}</p>` } }

test('a large email waits while the memory budget is used up, and is sent when it is free again', async () => {
  const { provider, called, answer } = slowProvider()
  const mailer = { ...provider, capabilities: { channels: ['email'], reports: 'callback' } } as const
  const gateway = openMailGateway(world, { providers: [mailer], deps: { budget: new MemoryBudget(150) } })
  const [first, second] = [await gateway.submit(LARGE), await gateway.submit(LARGE)]
  const sending = dispatch(gateway.deps, jobFor(first))
  await called
  assert.deepEqual(await dispatch(gateway.deps, jobFor(second)), { kind: 'later', at: later(START, seconds(2)) })
  assert.deepEqual(await gateway.kindsOf(second), ['MessageCreated'])
  answer(ACCEPTS)
  await sending
  const next = dispatch({ ...gateway.deps, providers: providersOf() }, jobFor(second))
  assert.deepEqual(await next, { kind: 'gone' })
})

test('a small email is sent even when the budget is used up', async () => {
  const budget = new MemoryBudget(1)
  budget.take(100)
  const gateway = openMailGateway(world, { providers: [fakeMailer([ACCEPTS])], deps: { budget } })
  const id = await gateway.submit(MAIL_SUBMISSION)
  assert.deepEqual(await dispatch(gateway.deps, jobFor(id)), { kind: 'gone' })
})

test('a failed dispatch returns its memory to the budget', async () => {
  const gateway = openMailGateway(world, { providers: [], deps: { budget: new MemoryBudget(150) } })
  const ids = [await gateway.submit(LARGE), await gateway.submit(LARGE)]
  for (const id of ids)
    await assert.rejects(async () => dispatch(gateway.deps, jobFor(id)), /names no configured provider/)
})

const providersOf = () => {
  const mailer = fakeMailer([ACCEPTS])
  return new Map([[mailer.name, mailer]])
}
