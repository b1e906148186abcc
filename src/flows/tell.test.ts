import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CALLBACK } from '../domain/endpoint.ts'
import { LONGEST_FAILING } from '../domain/notice-schedule.ts'
import { later, millis, seconds } from '../domain/time.ts'
import { openIds } from '../engines/crypto/ids.ts'
import { openNoticeSigner } from '../engines/crypto/notice-signer.ts'
import { openMemoryEngine } from '../engines/memory/memory.ts'
import { Unavailable } from '../ports/unavailable.ts'
import { erase } from './erase.ts'
import { CONTENT, START, TENANT, TRACE } from './gateway.fixture.ts'
import { type Answer, answering, CALLBACK_URL, KEY, openTelling, REFUSED, UNREACHABLE } from './tell.fixture.ts'
import { type TellDeps, tell } from './tell.ts'

const signer = openNoticeSigner(Buffer.alloc(32, 1))
const ON = new AbortController().signal
const LIFE = ['message.queued', 'message.sending', 'message.sent', 'message.delivered']

function open(answers: readonly Answer[] = []) {
  const telling = openTelling({ openEngine: openMemoryEngine, ids: openIds(), signer }, answers)
  return {
    ...telling,
    /** Tells all that is due, as the loop does; answers how many notices were. */
    tellDue: async (deps: Partial<TellDeps> = {}, stop = ON): Promise<number> => {
      const due = await telling.takeNotices()
      for (const taken of due) await tell({ ...telling.telling, ...deps }, taken, stop)
      return due.length
    },
  }
}

/** A delivered message that an endpoint is to be told of. */
async function delivered(answers: readonly Answer[] = []) {
  const opened = open(answers)
  await opened.addEndpoint()
  const id = await opened.deliver()
  await opened.want(id)
  return { ...opened, id }
}

test('an endpoint is told of every change, in order, once, and signed', async () => {
  const { tellDue, parcels, toldTypes, noticeOf, eventsOf, clock, heard, id } = await delivered()
  assert.equal(await tellDue(), 1)
  assert.deepEqual(toldTypes(), LIFE)
  const { state, told, wanted, lastStatus, triedAt } = await noticeOf(id)
  assert.deepEqual([state, told === wanted, lastStatus, triedAt], ['told', true, 204, clock()])
  assert.equal(await tellDue(), 0)

  const events = await eventsOf(id)
  for (const { url, headers, body } of parcels) {
    assert.equal(url, 'https://customer.test/hook')
    const name = headers['webhook-id'] ?? ''
    assert.ok(events.some((event) => name === `evt_${event.id.slice(0, 32)}`))
    assert.deepEqual(headers, signer.sign({ ...KEY, secretVersion: 1 }, name, clock(), body))
    assert.ok(!body.includes(CONTENT.body) && !body.includes(CONTENT.to))
  }
  assert.deepEqual(heard, Array(4).fill('e1 told'))
})

test('what has nothing to tell is settled without a call', async () => {
  const { addEndpoint, deliver, want, tellDue, noticeOf, parcels } = open()
  await addEndpoint({ events: ['message.failed'] })
  const id = await deliver()
  await want(id)
  await tellDue()
  const { state, lastStatus, triedAt } = await noticeOf(id)
  assert.deepEqual([state, lastStatus, triedAt, parcels.length], ['told', undefined, undefined, 0])
})

test('what follows the last event that is told is passed over with it', async () => {
  const { addEndpoint, deliver, want, tellDue, noticeOf, toldTypes } = open()
  await addEndpoint({ events: ['message.sending'] })
  const id = await deliver()
  await want(id)
  await tellDue()
  assert.deepEqual([toldTypes(), (await noticeOf(id)).state], [['message.sending'], 'told'])
})

test('what fails is told again after its time, and holds up what comes after it', async () => {
  const opened = await delivered([answering(200), answering(500), UNREACHABLE])
  const { tellDue, toldTypes, noticeOf, pass, clock, heard, id } = opened
  await tellDue()
  assert.deepEqual(toldTypes(), LIFE.slice(0, 2))
  const failed = await noticeOf(id)
  assert.deepEqual([failed.state, failed.failures, failed.lastStatus], ['pending', 1, 500])
  assert.deepEqual([failed.lastError, failed.dueAt], ['it answered with 500', later(clock(), seconds(5))])
  assert.equal(await tellDue(), 0)

  pass(seconds(5))
  await tellDue()
  const again = await noticeOf(id)
  assert.deepEqual([again.failures, again.lastStatus, again.lastError], [2, undefined, 'nobody is there'])
  pass(seconds(300))
  await tellDue()
  assert.deepEqual(toldTypes(), ['message.queued', ...Array(3).fill('message.sending'), ...LIFE.slice(2)])
  assert.deepEqual([(await noticeOf(id)).state, (await noticeOf(id)).failures], ['told', 0])
  assert.deepEqual(heard, [
    ...['e1 told', 'e1 failed: 5xx', 'e1 failed: unreachable'],
    ...['e1 told', 'e1 told', 'e1 told'],
  ])
})

test('an event that is told again has the same name, and the time of the new try', async () => {
  const { tellDue, parcels, pass } = await delivered([answering(500)])
  await tellDue()
  pass(seconds(5))
  await tellDue()
  const [first, second] = parcels.map(({ headers }) => headers)
  assert.equal(first?.['webhook-id'], second?.['webhook-id'])
  assert.equal(Number(second?.['webhook-timestamp']) - Number(first?.['webhook-timestamp']), 5)
  assert.equal(parcels[0]?.body, parcels[1]?.body)
})

test('failures of one event do not count for the next', async () => {
  const { tellDue, noticeOf, pass, clock, id } = await delivered([UNREACHABLE, UNREACHABLE, answering(200), REFUSED])
  await tellDue()
  pass(seconds(5))
  await tellDue()
  pass(seconds(300))
  await tellDue()
  const { failures, lastError, dueAt } = await noticeOf(id)
  assert.deepEqual([failures, lastError, dueAt], [1, 'it is ours', later(clock(), seconds(5))])
})

test('a wait that the endpoint asks for is kept to, and after ten tries it is given up', async () => {
  const { tellDue, noticeOf, pass, clock, id, parcels } = await delivered([
    answering(503, seconds(60)),
    ...Array(9).fill(UNREACHABLE),
  ])
  await tellDue()
  assert.equal((await noticeOf(id)).dueAt, later(clock(), seconds(60)))
  for (let tries = 1; tries < 10; tries += 1) {
    const { dueAt = clock() } = await noticeOf(id)
    pass(millis(dueAt - clock()))
    assert.equal(await tellDue(), 1)
  }
  assert.deepEqual([(await noticeOf(id)).state, parcels.length], ['given_up', 10])
  pass(seconds(10 * 86_400))
  assert.equal(await tellDue(), 0)
})

test('an endpoint that fails is known to, and one that is well again too', async () => {
  const { tellDue, endpoint, pass, clock } = await delivered([UNREACHABLE])
  await tellDue()
  assert.equal((await endpoint())?.failingSince, clock())
  pass(seconds(5))
  await tellDue()
  assert.equal((await endpoint())?.failingSince, undefined)
})

test('of an endpoint that was well nobody judges again that it is', async () => {
  const { tellDue } = await delivered()
  await tellDue({ endpoints: { judge: async () => assert.fail('nobody asked') } })
})

test('an endpoint that does nothing but fail for five days is disabled, and told nothing more', async () => {
  const { tellDue, endpoint, pass, heard, deliver, want, noticeOf, id } = await delivered(Array(3).fill(UNREACHABLE))
  await tellDue()
  pass(millis(LONGEST_FAILING - seconds(10)))
  await tellDue()
  assert.equal((await endpoint())?.disabled, undefined)
  pass(seconds(301))
  await tellDue()
  assert.equal((await endpoint())?.disabled, 'failing')
  assert.deepEqual(heard.slice(-2), ['e1 failed: unreachable', 'e1 disabled: failing'])
  await want(await deliver())
  pass(seconds(86_400))
  assert.deepEqual([await tellDue(), (await noticeOf(id)).state], [0, 'pending'])
})

test('an endpoint that says it is gone is disabled at once, and has its notices when it comes back', async () => {
  const { tellDue, endpoint, endpoints, notices, heard, clock, toldTypes } = await delivered([answering(410)])
  await tellDue()
  const gone = await endpoint()
  assert.ok(gone?.disabled === 'gone')
  assert.deepEqual(heard, ['e1 failed: 4xx', 'e1 disabled: gone'])
  const { disabled: _, ...enabled } = gone
  await endpoints.change(enabled)
  const { id: endpointId, ...of } = KEY
  await notices.resume({ ...of, endpointId }, clock())
  await tellDue()
  assert.deepEqual(toldTypes(), ['message.queued', ...LIFE])
})

test('a message with a callback is told of there, with the secret of the account', async () => {
  const { deliver, want, tellDue, parcels, toldTypes, clock, noticeOf } = open()
  const id = await deliver(true)
  await want(id)
  await tellDue()
  assert.deepEqual(toldTypes(), LIFE)
  for (const { url, headers, body } of parcels) {
    assert.equal(url, CALLBACK_URL)
    const key = { ...KEY, id: CALLBACK, secretVersion: 1 }
    assert.deepEqual(headers, signer.sign(key, headers['webhook-id'] ?? '', clock(), body))
  }
  assert.equal((await noticeOf(id, CALLBACK)).state, 'told')
})

test('a callback that fails is tried again and judged by nobody, and one that is gone is given up', async () => {
  const { deliver, want, tellDue, noticeOf, pass } = open([UNREACHABLE, answering(410)])
  const id = await deliver(true)
  await want(id)
  const deps = { endpoints: { judge: async () => assert.fail('there is no endpoint') } }
  await tellDue(deps)
  assert.equal((await noticeOf(id, CALLBACK)).state, 'pending')
  pass(seconds(5))
  await tellDue(deps)
  const { state, lastStatus } = await noticeOf(id, CALLBACK)
  assert.deepEqual([state, lastStatus], ['given_up', 410])
})

test('of an erased message an endpoint is told without what was erased, and a callback not at all', async () => {
  const { addEndpoint, deliver, want, tellDue, parcels, noticeOf, deps } = open()
  await addEndpoint()
  const id = await deliver(true)
  await want(id)
  await erase(deps, { tenantId: TENANT, id, traceId: TRACE })
  assert.equal(await tellDue(), 2)
  assert.equal(parcels.length, 4)
  for (const { url, body } of parcels) {
    assert.equal(url, 'https://customer.test/hook')
    const { to, metadata, tags } = JSON.parse(body).data
    assert.deepEqual([to, metadata, tags], [null, {}, []])
  }
  assert.equal((await noticeOf(id, CALLBACK)).state, 'told')
})

test('what is erased while it is told is not in what is told after it', async () => {
  const erased = open([
    async () => {
      await erase(erased.deps, { tenantId: TENANT, id, traceId: TRACE })
      return answering(204)
    },
  ])
  await erased.addEndpoint()
  const id = await erased.deliver()
  await erased.want(id)
  await erased.tellDue()
  assert.equal(erased.parcels.length, 1)
  await erased.tellDue()
  assert.deepEqual(erased.toldTypes(), LIFE)
  const metadata = erased.parcels.map(({ body }) => JSON.parse(body).data.metadata)
  assert.deepEqual(metadata, [CONTENT.metadata, {}, {}, {}])
})

test('a notice whose endpoint is gone, or whose message nobody knows, is settled without a call', async () => {
  const { takeNotices, telling, noticeOf, id, parcels } = await delivered()
  const [taken = assert.fail('none is due')] = await takeNotices()
  await tell(telling, { notice: taken.notice }, ON)
  assert.equal((await noticeOf(id)).state, 'told')

  const other = await delivered()
  const log = { read: async () => [], load: async () => undefined }
  await other.tellDue({ log })
  assert.deepEqual([(await other.noticeOf(other.id)).state, parcels.length, other.parcels.length], ['told', 0, 0])
})

test('while the log is away the notice is handed back as it was, and the fault is told', async () => {
  const { tellDue, noticeOf, parcels, toldTypes, id } = await delivered()
  const away = async () => Promise.reject(new Unavailable('no log'))
  await assert.rejects(tellDue({ log: { read: away, load: away } }), Unavailable)
  const { state, failures } = await noticeOf(id)
  assert.deepEqual([state, failures, parcels.length], ['pending', 0, 0])
  await tellDue()
  assert.deepEqual(toldTypes(), LIFE)
})

test('after another fault the notice stays in hand until its lease ends', async () => {
  const { tellDue, pass, toldTypes } = await delivered()
  const courier = { carry: async () => Promise.reject(new Error('a bug of ours')) }
  await assert.rejects(tellDue({ courier }), /a bug of ours/)
  assert.equal(await tellDue(), 0)
  pass(seconds(45))
  await tellDue()
  assert.deepEqual(toldTypes(), LIFE)
})

test('while it goes on telling nobody else gets the notice, and when it stops others do at once', async () => {
  const stop = new AbortController()
  let others = -1
  const { tellDue, takeNotices, toldTypes, pass } = await delivered([
    answering(200),
    async () => {
      // The first event took long; its settling has prolonged the lease.
      pass(seconds(44))
      others = (await takeNotices()).length
      stop.abort()
      return answering(200)
    },
  ])
  await tellDue({}, stop.signal)
  assert.deepEqual([others, toldTypes()], [0, LIFE.slice(0, 2)])
  await tellDue()
  assert.deepEqual(toldTypes(), LIFE)
})

test('what happens while it is told is told after it', async () => {
  const { tellDue, toldTypes, noticeOf, want, submit, work, addEndpoint } = open([
    async () => {
      await work()
      await want(early)
      return answering(204)
    },
  ])
  await addEndpoint()
  const early = await submit()
  await want(early)
  await tellDue()
  assert.equal((await noticeOf(early)).state, 'pending')
  await tellDue()
  assert.deepEqual(toldTypes(), LIFE.slice(0, 3))
})

test('what is replayed while it is told is told again from the start', async () => {
  const { id: endpointId, ...of } = KEY
  const replayed = await delivered([
    answering(204),
    async () => {
      await replayed.notices.replay({ ...of, endpointId }, START, replayed.clock())
      return answering(204)
    },
  ])
  await replayed.tellDue()
  await replayed.tellDue()
  assert.deepEqual(replayed.toldTypes(), [...LIFE, ...LIFE])
  const [first, , , , again] = replayed.parcels.map(({ headers }) => headers['webhook-id'])
  assert.equal(first, again)
})
