import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Counts } from '../../domain/limits/counts.ts'
import { acts, mustNotAct, someCounter } from '../../ports/limiter-samples.contract.ts'
import { stopped } from '../../ports/samples.contract.ts'
import { inProcessLimiter } from './in-process-limiter.ts'

const open = () => inProcessLimiter(new Counts(), stopped)

test('holds a slot while the act runs: the last one cannot be taken twice', async () => {
  const limiter = open()
  const counter = someCounter({ limit: 1 })
  const { promise: answer, resolve } = Promise.withResolvers<{ value: string; counts: boolean }>()
  const first = limiter.admit([counter], () => answer)
  assert.equal((await limiter.admit([counter], mustNotAct)).kind, 'limited')
  resolve({ value: 'again', counts: false })
  assert.equal((await first).kind, 'admitted')
  assert.equal((await limiter.admit([counter], acts)).kind, 'admitted')
})

test('S5-P5 a failed act is not counted', async () => {
  const limiter = open()
  const counters = [someCounter({ limit: 1 }), someCounter({ limit: 1, algorithm: 'sliding' })]
  const broken = new Error('the log would not take it')
  for (let time = 0; time < 3; time += 1) {
    await assert.rejects(
      limiter.admit(counters, () => Promise.reject(broken)),
      broken,
    )
    for (const counter of counters) assert.equal((await limiter.status(counter)).used, 0)
  }
  assert.equal((await limiter.admit(counters, acts)).kind, 'admitted')
})

test('an act that throws before it begins is not counted', async () => {
  const limiter = open()
  const counter = someCounter({ limit: 1 })
  const fails = (): never => {
    throw new Error('a bug')
  }
  await assert.rejects(limiter.admit([counter], fails), /a bug/)
  assert.equal((await limiter.status(counter)).used, 0)
})
