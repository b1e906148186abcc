import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InternTable } from './intern-table.ts'

const openTable = () => new InternTable((name: string) => ({ name }))

/** Makes so many other entries idle that all idle ones before them are forgotten. */
function forgetIdle(table: InternTable<string, unknown>): void {
  for (let n = 0; n < 1_024; n += 1) table.release(table.acquire(`other-${n}`))
}

test('an entry has one number for as long as it has references', () => {
  const table = openTable()
  const number = table.acquire('north')
  assert.equal(table.acquire('north'), number)
  assert.notEqual(table.acquire('south'), number)
  table.release(number)
  forgetIdle(table)
  assert.deepEqual(table.get(number), { name: 'north' })
  assert.equal(table.acquire('north'), number)
})

test('an entry without references is forgotten after a while, and its number is used again', () => {
  const table = openTable()
  const number = table.acquire('north')
  table.release(number)
  assert.deepEqual(table.find('north'), { name: 'north' })
  forgetIdle(table)
  assert.equal(table.find('north'), undefined)
  assert.equal(table.acquire('south'), number)
})

test('an entry that has references again is not forgotten', () => {
  const table = openTable()
  const number = table.acquire('north')
  table.release(number)
  assert.equal(table.acquire('north'), number)
  forgetIdle(table)
  assert.deepEqual(table.get(number), { name: 'north' })
  table.release(number)
  forgetIdle(table)
  assert.equal(table.find('north'), undefined)
})
