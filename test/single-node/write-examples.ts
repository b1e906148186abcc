/** Writes deploy/single-node again, after `pombo init` has changed: node bin/node24.cjs test/single-node/write-examples.ts */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EXAMPLES, exampleFiles } from './examples.ts'

mkdirSync(EXAMPLES, { recursive: true })
for (const [name, text] of exampleFiles()) writeFileSync(join(EXAMPLES, name), text)
