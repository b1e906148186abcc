import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { buildConsole } from '../support/console-build.ts'
import { ROOT, textOf } from './files.ts'

/** The entry files of all threads, relative to the repository. */
const threadEntries = (): string[] =>
  readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => `src/${path}`)
    .filter((path) => /\.ts$/.test(path) && !/\.(test|fixture|contract)\.ts$/.test(path))
    .filter((path) => /^await serve\w+/m.test(textOf(path)))
    .toSorted()

/** The threads of a process that runs with NODE_DEBUG=worker. */
const threadsStarted = (log: string): string[] =>
  [...new Set([...log.matchAll(/starts worker script \S*\/(src\/\S+)/g)].map(([, path = '']) => path))].toSorted()

async function smoke(program: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [join(ROOT, 'deploy/smoke/main.ts'), ...program], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code, out, err }
}

describe('the smoke test of the image', { timeout: 300_000 }, () => {
  test('succeeds on this checkout, and uses every thread', async () => {
    buildConsole()
    const { code, out, err } = await smoke([process.execPath, join(ROOT, 'src/main.ts')], { NODE_DEBUG: 'worker' })
    assert.equal(code, 0, `${out}${err}`)
    assert.ok(threadEntries().length >= 7)
    assert.deepEqual(threadsStarted(err), threadEntries())
  })

  test('fails when a native module is missing, and says what the gateway wrote', async () => {
    const missing = `data:text/javascript,${encodeURIComponent(WITHOUT_BCRYPT)}`
    const { code, err } = await smoke([process.execPath, '--import', missing, join(ROOT, 'src/main.ts')])
    assert.equal(code, 1)
    assert.match(err, /"codes":\{"ok":false/)
  })
})

/** As after `npm ci --omit=optional`. */
const WITHOUT_BCRYPT = `
  import { registerHooks } from 'node:module'
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === '@node-rs/bcrypt') throw new Error('Cannot find native binding')
      return next(specifier, context)
    },
  })`
