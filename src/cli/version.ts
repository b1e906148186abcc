/** `pombo version`: prints the version. */
import { join } from 'node:path'
import { defineCommand } from './command.ts'
import { EXIT } from './exit.ts'
import { textIn, toJson } from './json.ts'
import type { World } from './world.ts'

export const readVersion = ({ readFile }: Pick<World, 'readFile'>): string =>
  textIn(toJson(JSON.parse(readFile(join(import.meta.dirname, '../../package.json')))), 'version') ?? 'unknown'

export const version = defineCommand({
  name: 'version',
  summary: 'Print the versions of Pombo and Node.',
  options: { json: { about: 'print JSON' } },
  async run(world, values) {
    const pombo = readVersion(world)
    const node = process.versions.node
    world.out.write(values.json === true ? `${JSON.stringify({ pombo, node })}\n` : `pombo ${pombo} (node ${node})\n`)
    return EXIT.ok
  },
})
