/** Sending a file in batches, against a gateway that answers as a test wants. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toResults } from '../../../console/src/pages/bulk/results.ts'
import { type Answer, type Outcome, type RunItem, run, toBatches } from '../../../console/src/pages/bulk/run.ts'
import { TEXTS } from '../texts.ts'

const itemsOf = (count: number): readonly RunItem[] =>
  Array.from({ length: count }, (_, n) => ({ line: n + 2, body: { key: `k${n}` } }))

type World = Readonly<{
  outcomes: Map<number, Outcome>
  posts: (readonly RunItem['body'][])[]
  waits: number[]
  mostInFlight: () => number
}>

/** Runs the items; `answer` gets the number of the call. */
async function runWith(
  items: readonly RunItem[],
  answer: (call: number, bodies: readonly RunItem['body'][]) => Answer,
  mayGoOn: (calls: number) => boolean = () => true,
): Promise<World> {
  const [outcomes, posts, waits] = [new Map<number, Outcome>(), [] as (readonly RunItem['body'][])[], [] as number[]]
  let [inFlight, most] = [0, 0]
  await run(
    {
      post: async (bodies) => {
        posts.push(bodies)
        inFlight += 1
        most = Math.max(most, inFlight)
        const given = answer(posts.length, bodies)
        await new Promise((resolve) => setImmediate(resolve))
        inFlight -= 1
        return given
      },
      sleep: async (ms) => void waits.push(ms),
      onOutcomes: (more) => more.forEach((outcome, line) => void outcomes.set(line, outcome)),
      onWait: () => undefined,
      mayGoOn: async () => mayGoOn(posts.length),
    },
    items,
  )
  return { outcomes, posts, waits, mostInFlight: () => most }
}

const accepted = (bodies: readonly unknown[]): Answer => ({
  kind: 'results',
  results: bodies.map((_, index) => ({ index, id: `m${index}` })),
})

test('sends at most 1,000 items and 2 million characters at once, three at a time, each item once', async () => {
  const world = await runWith(itemsOf(5_500), (_, bodies) => accepted(bodies))
  assert.deepEqual(
    world.posts.map(({ length }) => length),
    [1000, 1000, 1000, 1000, 1000, 500],
  )
  assert.equal(new Set(world.posts.flat().map(({ key }) => key)).size, 5_500)
  assert.equal(world.outcomes.size, 5_500)
  assert.equal(world.mostInFlight(), 3)
  const large = itemsOf(5).map((item) => ({ ...item, body: { html: 'x'.repeat(900_000) } }))
  assert.deepEqual(
    toBatches(large).map(({ length }) => length),
    [2, 2, 1],
  )
})

test('waits as long as the gateway asks, and sends the same items again', async () => {
  const world = await runWith(itemsOf(3), (call, bodies) =>
    call <= 8 ? { kind: 'later', seconds: call } : accepted(bodies),
  )
  assert.deepEqual(world.waits, [1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000])
  assert.ok(world.posts.every((bodies) => bodies.length === 3))
  assert.equal(world.outcomes.size, 3)
})

test('sends only those items again that were refused for a while', async () => {
  const world = await runWith(itemsOf(4), (call, bodies) =>
    call > 1
      ? accepted(bodies)
      : {
          kind: 'results',
          results: [
            { index: 0, id: 'a' },
            { index: 1, error: { status: 503, error_code: 'UNAVAILABLE', retry_after: 4 } },
            { index: 2, error: { status: 429, error_code: 'RATE_LIMITED', retry_after: 86_400, detail: 'tomorrow' } },
            {
              index: 3,
              error: { status: 400, error_code: 'VALIDATION_ERROR', details: [{ path: '/to', message: 'is bad' }] },
            },
          ],
        },
  )
  assert.deepEqual(world.posts[1], [{ key: 'k1' }])
  assert.deepEqual(world.waits, [4000])
  assert.deepEqual(
    [...world.outcomes].toSorted(([a], [b]) => a - b),
    [
      [2, { kind: 'accepted', id: 'a' }],
      [3, { kind: 'accepted', id: 'm0' }],
      [4, { kind: 'refused', code: 'RATE_LIMITED', detail: 'tomorrow' }],
      [5, { kind: 'refused', code: 'VALIDATION_ERROR', detail: '/to is bad' }],
    ],
  )
})

test('what is never answered is not confirmed, rather than refused', async () => {
  const world = await runWith(itemsOf(2), () => ({ kind: 'lost', detail: 'gone' }))
  assert.equal(world.posts.length, 6)
  assert.deepEqual([...world.outcomes.values()], Array(2).fill({ kind: 'unconfirmed', detail: 'gone' }))
})

test('a cancelled run sends nothing more', async () => {
  const world = await runWith(
    itemsOf(9_000),
    (_, bodies) => accepted(bodies),
    (calls) => calls < 3,
  )
  assert.equal(world.posts.length, 3)
  assert.equal(world.outcomes.size, 3_000)
})

test('the results have a line for every row, in the order of the file', () => {
  const { statuses } = TEXTS.bulk.run
  const row = { to: '', parts: 1, sender: '', duplicateOf: undefined, problems: [], item: {} }
  const rows = [
    { ...row, line: 2 },
    { ...row, line: 3, item: undefined, problems: ['No recipient.', 'A "quote".'] },
    { ...row, line: 4 },
    { ...row, line: 6 },
    { ...row, line: 7 },
  ]
  const outcomes = new Map<number, Outcome>([
    [4, { kind: 'refused', code: 'NO_ROUTE_FOUND', detail: 'none, sorry' }],
    [2, { kind: 'accepted', id: 'm' }],
    [6, { kind: 'unconfirmed', detail: 'gone' }],
  ])
  assert.equal(
    toResults({ rows, outcomes }),
    [
      'line,id,status,error_code,error_detail',
      `2,m,${statuses.accepted},,`,
      `3,,${statuses.invalid},INVALID_ROW,"No recipient. A ""quote""."`,
      `4,,${statuses.refused},NO_ROUTE_FOUND,"none, sorry"`,
      `6,,${statuses.unconfirmed},,gone`,
      `7,,${statuses.unsent},,`,
      '',
    ].join('\r\n'),
  )
})
