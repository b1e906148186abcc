import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Driver, remote } from './driver.ts'
import type { MethodsOf } from './tables.ts'

interface Numbers {
  double(value: number): Promise<number>
  name(value: number, language?: string): Promise<string | undefined>
}

const tables = {
  numbers: {
    reads: { double: (value: number): number => value * 2 },
    writes: { name: (value: number, language?: string): string | undefined => language && `${value}` },
  },
  numbersOfOthers: { reads: { count: (): number => 0 } },
}

type TestMethods = MethodsOf<typeof tables>

/** Records calls, and answers them with a count. */
function counting() {
  const calls: unknown[] = []
  const driver: Driver<TestMethods> = {
    names: ['numbers.double', 'numbers.name', 'numbersOfOthers.count'],
    call: async (...call) => calls.push(call) as never,
    async [Symbol.asyncDispose]() {},
  }
  return { driver, calls }
}

test('a remote table implements the port by calls of its methods, with their arguments', async () => {
  const { driver, calls } = counting()
  const numbers: Numbers = remote(driver, 'numbers')
  assert.equal(await numbers.double(21), 1)
  assert.equal(await numbers.name(1, 'en'), 2)
  assert.deepEqual(calls, [
    ['numbers.double', [21]],
    ['numbers.name', [1, 'en']],
  ])
})

test('a remote table has the methods of its own table and no others', () => {
  const { driver } = counting()
  const numbers = remote(driver, 'numbers')
  assert.deepEqual(Object.keys(numbers), ['double', 'name'])
  // @ts-expect-error: there is no such method
  assert.equal(numbers.half, undefined)
  // @ts-expect-error: of another table
  assert.equal(numbers.count, undefined)
  // @ts-expect-error: there is no such table
  assert.deepEqual(remote(driver, 'letters'), {})
})

test('a remote table is not a promise, and can be spread into a port of several tables', async () => {
  const { driver, calls } = counting()
  const both = { ...(await remote(driver, 'numbers')), ...remote(driver, 'numbersOfOthers') }
  await both.count()
  assert.deepEqual(calls, [['numbersOfOthers.count', []]])
})

test('arguments and results have the types of the method', () => {
  const { driver } = counting()
  const { double, name } = remote(driver, 'numbers')
  // @ts-expect-error: not a number
  void double('21')
  // @ts-expect-error: not a string
  const named: Promise<number> = name(1)
  // @ts-expect-error: an argument is missing
  void driver.call('numbers.double', [])
  void named
})
