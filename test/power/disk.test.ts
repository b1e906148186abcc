import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Disk, type Files } from './disk.ts'
import { FATES, type FateName, toFate } from './fates.ts'
import type { Step } from './recording.ts'

const NAMES = new Map([
  [3, 'one'],
  [4, 'other'],
  [5, ''],
])
const open = (file: number): Step => ({
  kind: 'opened',
  file,
  path: NAMES.get(file) ?? assert.fail(),
  creates: file !== 5,
  truncates: false,
})
const write = (file: number, at: number, text: string): Step => ({
  kind: 'written',
  file,
  at,
  bytes: Buffer.from(text),
})
const begin = (sync: number, file: number, isData = true): Step => ({ kind: 'sync-begun', sync, file, isData })
const end = (sync: number): Step => ({ kind: 'sync-ended', sync })
const synced = (sync: number, file: number, isData = true): Step[] => [begin(sync, file, isData), end(sync)]
const truncate = (file: number, size: number): Step => ({ kind: 'truncated', file, size })

const after = (
  steps: readonly Step[],
  fate: FateName,
  seed = 1,
  initial: Files = new Map(),
): Record<string, string> => {
  const files = new Disk(initial, steps).cut(steps.length, toFate(fate, steps.length, seed))
  return Object.fromEntries([...files].map(([path, bytes]) => [path, bytes.toString()]))
}

/** Every state that a few hundred seeds of all fates lead to. */
function allAfter(steps: readonly Step[], initial?: Files): readonly string[] {
  const seeds = Array.from({ length: 200 }, (_, seed) => seed)
  const states = FATES.flatMap((fate) => seeds.map((seed) => JSON.stringify(after(steps, fate, seed, initial))))
  return [...new Set(states)].toSorted()
}

describe('after a power cut', () => {
  test('what a sync covers is there', () => {
    const steps = [open(3), write(3, 0, 'ab'), ...synced(1, 3), write(3, 2, 'cd')]
    assert.deepEqual(allAfter(steps), ['{"one":"ab"}', '{"one":"abcd"}'])
  })

  test('a sync covers nothing that was written after its begin, and nothing before its end', () => {
    const late = [open(3), ...synced(1, 3), begin(2, 3), write(3, 0, 'ab'), end(2)]
    assert.deepEqual(after(late, 'least'), { one: '' })
    const early = [open(3), ...synced(1, 3), write(3, 0, 'ab'), begin(2, 3)]
    assert.deepEqual(after(early, 'least'), { one: '' })
  })

  test('a file that was not synced may be missing, and its name is forced with its data or with the folder', () => {
    const steps = [open(3), open(5)]
    assert.deepEqual(allAfter(steps), ['{"one":""}', '{}'])
    assert.deepEqual(allAfter([...steps, ...synced(1, 3)]), ['{"one":""}'])
    assert.deepEqual(allAfter([...steps, ...synced(1, 5)]), ['{"one":""}'])
  })

  test('writes to two files reach the disk in any order', () => {
    const steps = [open(3), open(4), ...synced(1, 3), ...synced(2, 4), write(3, 0, 'a'), write(4, 0, 'b')]
    assert.deepEqual(allAfter(steps), [
      '{"one":"","other":""}',
      '{"one":"","other":"b"}',
      '{"one":"a","other":""}',
      '{"one":"a","other":"b"}',
    ])
  })

  test('a write may be torn between sectors, and a sector never has only the later of two writes', () => {
    const steps = [open(3), ...synced(1, 3), write(3, 0, 'a'.repeat(600)), write(3, 0, 'b'), write(3, 2, 'c')]
    const states = allAfter(steps).map((state) => (JSON.parse(state) as { one: string }).one)
    assert(states.some((text) => text.length === 512))
    assert(states.some((text) => text.length === 600 && text.startsWith('\0')))
    const starts = new Set(states.map((text) => text.slice(0, 4)))
    assert.deepEqual([...starts].toSorted(), ['', '\0\0\0\0', 'aaaa', 'baaa', 'baca'])
  })

  test('a rename may be lost, and comes after everything before it', () => {
    const initial = new Map([['one', Buffer.from('old')]])
    const rename: Step = { kind: 'renamed', from: 'one', to: 'third' }
    const steps = [open(3), open(4), rename]
    assert.deepEqual(allAfter(steps, initial), [
      '{"one":"old","other":""}',
      '{"one":"old"}',
      '{"other":"","third":"old"}',
    ])
    assert.deepEqual(allAfter([...steps, ...synced(1, 3)], initial).length, 3, 'fdatasync does not force it')
    assert.deepEqual(allAfter([...steps, ...synced(1, 3, false)], initial), ['{"other":"","third":"old"}'])
  })

  test('a write that lengthens its file is there only with all changes of names before it', () => {
    const initial = new Map([['one', Buffer.from('old')]])
    const steps = [open(3), open(4), write(3, 0, 'new!')]
    assert.deepEqual(allAfter(steps, initial), [
      '{"one":"new!","other":""}',
      '{"one":"new"}',
      '{"one":"old","other":""}',
      '{"one":"old"}',
    ])
  })

  test('nothing that was written after a truncation is there without it', () => {
    const initial = new Map([['one', Buffer.from('old')]])
    const steps = [open(3), truncate(3, 0), write(3, 0, 'n')]
    assert.deepEqual(allAfter(steps, initial), ['{"one":""}', '{"one":"n"}', '{"one":"old"}'])
    assert.deepEqual(allAfter([...steps, ...synced(1, 3)], initial), ['{"one":"n"}'])
  })

  test('a removed file may be back, but not beside one that was made later under its name', () => {
    const initial = new Map([['one', Buffer.from('old')]])
    const steps: Step[] = [{ kind: 'removed', path: 'one' }, open(3), write(3, 0, 'new'), ...synced(1, 3)]
    assert.deepEqual(allAfter(steps.slice(0, 2), initial), ['{"one":""}', '{"one":"old"}', '{}'])
    assert.deepEqual(allAfter(steps, initial), ['{"one":"new"}'])
  })
})
