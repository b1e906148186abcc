import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { ROOT } from '../deploy/files.ts'
import { openFolder } from '../support/folder.ts'
import { skipUnavailable } from '../support/skip.ts'
import { missingForReplay } from './host.ts'
import { replayCommand } from './replay.ts'

describe('the image', { timeout: 300_000 }, () => {
  test('is made by the steps of the Dockerfile, and does what it should on a read-only disk', async (t) => {
    const missing = missingForReplay()
    if (missing !== undefined) return skipUnavailable(t, missing)
    await using folder = await openFolder()
    const [program, args] = replayCommand({ context: ROOT, isShort: true, isFresh: false }, folder.path)
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
    assert.equal(code, 0, `${out}${err}`)
    assert.match(out, /still has its data/)
    t.diagnostic(out)
  })
})
