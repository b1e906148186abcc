import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findMethod, methodsOf, type Table } from './tables.ts'

interface Letters {
  add(letter: string): Promise<void>
  count(): Promise<number>
  remove(letter: string): Promise<boolean>
}

/** One method in each group. */
function letters() {
  const known = new Set<string>()
  return {
    writes: { add: (letter) => void known.add(letter) },
    reads: { count: () => known.size },
    shreds: { remove: (letter) => known.delete(letter) },
  } satisfies Table<Letters>
}

test('methods have the name of their table, and run as the group says that declares them', () => {
  const nothing = (): void => undefined
  const methods = methodsOf({
    letters: letters(),
    digits: { background: { pack: nothing }, backgroundShreds: { burn: nothing } },
  })
  assert.deepEqual(
    [...methods].map(([name, { kind, isShredding }]) => [name, kind, isShredding]),
    [
      ['letters.add', 'write', false],
      ['letters.count', 'read', false],
      ['letters.remove', 'write', true],
      ['digits.pack', 'background', false],
      ['digits.burn', 'background', true],
    ],
  )
})

test('methods of one table share what it holds', () => {
  const methods = methodsOf({ letters: letters() })
  findMethod(methods, 'letters.add').run('a')
  assert.equal(findMethod(methods, 'letters.count').run(), 1)
  assert.equal(findMethod(methods, 'letters.remove').run('b'), false)
  assert.throws(() => findMethod(methods, 'letters.replace'), /there is no method letters.replace/)
})

test('a table must have the parameters and results of its port', () => {
  const tables = [
    // @ts-expect-error: not a string
    { writes: { add: (letter: number) => void letter } } satisfies Table<Letters>,
    // @ts-expect-error: the port has no such method
    { writes: { replace: () => undefined } } satisfies Table<Letters>,
    // @ts-expect-error: a table is synchronous
    { reads: { count: async () => 1 } } satisfies Table<Letters>,
    // @ts-expect-error: there is no such group
    { deletions: {} } satisfies Table<Letters>,
  ]
  assert.equal(tables.length, 4)
})
