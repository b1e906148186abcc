import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import type { SinkName } from '../domain/ids.ts'
import { Unavailable } from '../ports/unavailable.ts'
import { SinkObserver } from './sink-observer.ts'

function openObserver() {
  const lines: { level: number; msg: string; sink: string; reason?: string }[] = []
  const logger = pino({ level: 'debug' }, { write: (line: string) => lines.push(JSON.parse(line)) })
  const observer = new SinkObserver({ logger, onPublished: () => undefined }, { name: 'crm' as SinkName, kind: 'amqp' })
  return { observer, said: () => lines.splice(0).map(({ level, msg, sink, reason }) => [level, msg, sink, reason]) }
}

const lost = (reason: string) => new Unavailable('no broker', { cause: new Error(reason) })

test('a loss is logged once, and again when its reason changes, and the recovery once', () => {
  const { observer, said } = openObserver()
  observer.onAvailable()
  assert.deepEqual([said(), observer.problem], [[], undefined])
  for (const reason of ['refused', 'refused', 'no queue']) observer.onUnavailable(lost(reason))
  assert.deepEqual(said(), [
    [40, 'sink: cannot publish, retrying', 'crm', 'no broker: refused'],
    [40, 'sink: cannot publish, retrying', 'crm', 'no broker: no queue'],
  ])
  assert.equal(observer.problem, 'no broker: no queue')
  observer.onAvailable()
  observer.onAvailable()
  assert.deepEqual(said(), [[30, 'sink: publishing again', 'crm', undefined]])
  assert.equal(observer.problem, undefined)
})

test('a store that is unreachable is left to its engine, and anything else is an error', () => {
  const { observer, said } = openObserver()
  observer.onFault(new Unavailable('NATS is unreachable'))
  assert.deepEqual(said(), [])
  observer.onFault(new Error('a bug'))
  assert.deepEqual(said(), [[50, 'sink: unexpected error', 'crm', undefined]])
})
