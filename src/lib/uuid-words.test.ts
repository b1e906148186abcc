import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { parseUuid, toUuid } from './uuid-words.ts'

const words = new Int32Array(4)
const again = (text: string): string | undefined =>
  parseUuid(text, words) ? toUuid(...([...words] as [number, number, number, number])) : undefined

test('a lowercase UUID is the same after parsing and formatting', () => {
  const extremes = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']
  for (const id of [...extremes, ...Array.from({ length: 500 }, () => randomUUID())]) assert.equal(again(id), id)
})

test('anything else is not parsed', () => {
  const id = 'f81d4fae-7dec-41d0-a765-00a0c91e6bf6'
  const others = [id.toUpperCase(), id.slice(1), `${id}0`, id.replaceAll('-', '0'), '', '-'.repeat(36)]
  for (const text of others) assert.equal(again(text), undefined)
  for (let at = 0; at < id.length; at += 1) {
    for (const wrong of ['g', 'F', ' ', '/', ':', '`', 'é', '０']) {
      assert.equal(again(`${id.slice(0, at)}${wrong}${id.slice(at + 1)}`), undefined)
    }
  }
})
