import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { modulesFrom } from '../../package/modules.ts'
import { openFolder } from '../support/folder.ts'

/** The modules of these files, from main.ts on. */
async function packed(files: Readonly<Record<string, string>>): Promise<ReadonlyMap<string, string>> {
  await using folder = await openFolder()
  for (const [path, code] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true })
    writeFileSync(join(folder.path, path), code)
  }
  return modulesFrom(folder.path, 'main.ts')
}

test('a module that is imported, imported on demand, exported from or started as a thread is packed', async () => {
  const modules = await packed({
    'main.ts': `import { a } from './lib/a.ts'\nawait import('./later.ts')\nexport { b } from "./b.ts"`,
    'lib/a.ts': `export const a = new URL('../thread.ts', import.meta.url)`,
    'later.ts': '',
    'b.ts': 'export const b = 1',
    'thread.ts': '',
    'main.test.ts': `import './main.ts'`,
  })
  assert.deepEqual([...modules.keys()].toSorted(), ['b.js', 'later.js', 'lib/a.js', 'main.js', 'thread.js'])
  assert.equal(
    modules.get('main.js'),
    `import { a } from './lib/a.js'\nawait import('./later.js')\nexport { b } from "./b.js"`,
  )
  assert.equal(modules.get('lib/a.js'), `export const a = new URL('../thread.js', import.meta.url)`)
})

test('a module of which only types are used is left out, and no type is left', async () => {
  const modules = await packed({
    'main.ts': `import type { A } from './a.ts'\nexport const a = (given: A): A => given as A\n`,
    'a.ts': 'export type A = string',
  })
  assert.deepEqual([...modules.keys()], ['main.js'])
  assert.doesNotMatch(modules.get('main.js') ?? '', /\bA\b|\.ts/)
})

test('every line and column stays where it was', async () => {
  const code = `import { b } from './b.ts'\ntype A = Readonly<{\n  b: string }>\nexport const f = (a: A, c?: A): A => (c ?? a, b)\n`
  const main = (await packed({ 'main.ts': code, 'b.ts': 'export const b = 1' })).get('main.js') ?? ''
  const places = (text: string): readonly number[] =>
    ['import', 'export', '=>', '??', ', b)'].map((s) => text.indexOf(s))
  assert.deepEqual(places(main), places(code))
  assert.deepEqual(
    main.split('\n').map((line) => line.length),
    code.split('\n').map((line) => line.length),
  )
})

test('a reference to a file that does not exist is refused', async () => {
  await assert.rejects(packed({ 'main.ts': `new URL('./gone.ts', import.meta.url)` }), /ENOENT.*gone\.ts/)
})
