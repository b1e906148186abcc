import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseOptions } from './options.ts'

test('--only accepts parts of the selected profile', () => {
  assert.deepEqual([...(parseOptions(['--only', 'a, b2,g,k'])?.parts ?? [])], ['a', 'b2', 'g', 'k'])
  assert.deepEqual([...(parseOptions(['--cluster', '--only', 'n1,n7'])?.clusterParts ?? [])], ['n1', 'n7'])
  assert.throws(() => parseOptions(['--only', 'n1']), /--only must be one or more of a, b/)
  assert.throws(() => parseOptions(['--cluster', '--only', 'a']), /--only must be one or more of n0, n1/)
})

test('--set accepts only POMBO_ settings', () => {
  const given = ['--set', 'POMBO_CONCURRENCY=64', '--set', 'POMBO_NATS_PARTITIONS=8']
  assert.deepEqual(parseOptions(given)?.settings, { POMBO_CONCURRENCY: '64', POMBO_NATS_PARTITIONS: '8' })
  assert.throws(() => parseOptions(['--set', 'PATH=/']), /--set must be POMBO_NAME=VALUE/)
})

test('--scale accepts one or several numbers', () => {
  assert.deepEqual(parseOptions([])?.scale, [1, 2, 4])
  assert.deepEqual(parseOptions(['--scale', '1,2,4,8'])?.scale, [1, 2, 4, 8])
  assert.throws(() => parseOptions(['--scale', '1,0']), /--scale must be/)
})

test('measures the peers unless told otherwise', () => {
  assert.deepEqual([parseOptions([])?.peers, parseOptions(['--no-peers'])?.peers], [true, false])
  assert.throws(() => parseOptions(['--peers']), /Unknown option '--peers'/)
})

test('only a full run measures the memory of the longest queue', () => {
  assert.deepEqual([parseOptions([])?.waitingMost, parseOptions(['--quick'])?.waitingMost], [1_000_000, undefined])
})
