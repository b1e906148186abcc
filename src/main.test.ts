/** The `pombo` process: exit codes, streams and signals. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, type TestContext, test } from 'node:test'
import { openTestGateway } from './cli/test-world.ts'

function start(t: TestContext, argv: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), ...argv], { env })
  t.after(() => child.kill('SIGKILL'))
  return child
}

async function end(child: ChildProcess) {
  assert(child.stdout && child.stderr)
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code, out, err }
}

describe('the process', () => {
  test('exits with the exit code of the command', async (t) => {
    assert.deepEqual(await end(start(t, ['send'])), {
      code: 2,
      out: '',
      err: 'pombo: --to is required\nTry `pombo send --help`.\n',
    })
  })

  test('exits silently when the reader closes the pipe', async (t) => {
    const items = Array.from({ length: 200 }, () => ({ note: 'x'.repeat(1000) }))
    await using gateway = await openTestGateway(() => ({ items, next_cursor: 'more' }))
    const child = start(t, ['search', '--json', '--limit', '20000'], gateway.env)
    await once(child.stdout, 'data')
    child.stdout.destroy()
    const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    assert.deepEqual([code, err], [0, ''])
  })

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    test(`stops following on ${signal}, even when the terminal repeats the signal`, async (t) => {
      await using gateway = await openTestGateway((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write('data: {"at":"now"}\n\n')
      })
      const child = start(t, ['tail'], gateway.env)
      const ended = once(child, 'exit')
      await once(child.stdout, 'data')
      child.kill(signal)
      child.kill(signal)
      assert.deepEqual(await ended, [0, null])
    })
  }
})
