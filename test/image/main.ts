/**
 * Replays deploy/Dockerfile without a container engine, starts the result and checks it: `npm run image`. Needs Linux,
 * root and, the first time, a minute to make a Debian. `-- --short` is what the tests run.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { openFolder } from '../support/folder.ts'
import { missingForReplay } from './host.ts'
import { replayCommand } from './replay.ts'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    fresh: { type: 'boolean', default: false },
    context: { type: 'string', default: join(import.meta.dirname, '../..') },
  },
})

const missing = missingForReplay()
if (missing !== undefined) throw new Error(missing)
await using folder = await openFolder()
const options = { context: resolve(values.context), isShort: values.short, isFresh: values.fresh }
const [program, args] = replayCommand(options, folder.path)
const [code] = await once(spawn(program, args, { stdio: 'inherit' }), 'exit')
process.exitCode = code === 0 ? 0 : 1
