import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { LoopShare } from './loop-share.ts'

/** Work whose every item takes a millisecond of a clock that only the work moves. */
function openWork() {
  let [now, turn] = [0, 0]
  const share = new LoopShare<string>(() => now, 5)
  const done: string[] = []
  return {
    done,
    turns: () => turn,
    async work(name: string, items: number, key = name): Promise<void> {
      await share.turn(key)
      for (let item = 0; item < items; item += 1) {
        if (share.isUsedUp) await share.turn(key)
        now += 1
        done.push(`${name} in turn ${turn}`)
      }
    },
    async untilDone(all: Promise<unknown>): Promise<void> {
      let isDone = false
      const ended = all.then(() => {
        isDone = true
      })
      while (!isDone) {
        await nextTurn()
        turn += 1
      }
      await ended
    },
  }
}

test('work is done in pieces of a few milliseconds, one piece in a turn', async () => {
  const { done, work, untilDone, turns } = openWork()
  await untilDone(Promise.all([work('a', 12), work('b', 12)]))
  const perTurn = [...Map.groupBy(done, (line) => line.split('turn ')[1]).values()]
  for (const lines of perTurn) {
    assert.ok(lines.length <= 5, `${lines.length} ms in one turn`)
    assert.equal(new Set(lines).size, 1, 'one piece in a turn')
  }
  assert.equal(done.length, 24)
  assert.ok(turns() >= 6)
})

test('pieces take turns', async () => {
  const { done, work, untilDone } = openWork()
  await untilDone(Promise.all([work('long', 30), work('short', 5)]))
  const last = done.findLastIndex((line) => line.startsWith('short'))
  assert.ok(last < 12, `the short work ended as item ${last}`)
})

test('keys take turns, however much work one of them has', async () => {
  const { done, work, untilDone } = openWork()
  const crowd = Array.from({ length: 20 }, (_, nth) => work(`crowd ${nth}`, 5, 'crowd'))
  await untilDone(Promise.all([...crowd, work('single', 10)]))
  const last = done.findLastIndex((line) => line.startsWith('single'))
  assert.ok(last < 25, `the single work ended as item ${last}`)
})
