/** `pombo backup`: writes the database of the embedded profile to one file. The gateway may keep running. */
import { join } from 'node:path'
import { loadConfig } from '../config/config.ts'
import { defineCommand } from './command.ts'
import { EXIT } from './exit.ts'
import { toDuration, toSize } from './render.ts'
import type { BackedUp } from './world.ts'

export const backup = defineCommand({
  name: 'backup',
  summary: 'Back up the database of the embedded profile to one file; the gateway may keep running.',
  words: { usage: 'FILE', least: 1, most: 1 },
  options: {
    'with-keys': { about: 'include master.key and jwt.secret: anyone with the file can then read every message' },
    force: { about: 'overwrite an existing file' },
    json: { about: 'print the result as JSON' },
  },
  async run(world, values, [file = '']) {
    const config = loadConfig(world.env, world.readFile)
    const startedAt = world.clock()
    const options = { force: values.force === true, withKeys: values['with-keys'] === true }
    const done = await world.backupData(config, file, options)
    const took = world.clock() - startedAt
    world.out.write(
      values.json === true ? `${JSON.stringify({ ...done, took_ms: took })}\n` : toText(done, took, config),
    )
    return EXIT.ok
  },
})

type Where = Readonly<{ dataDir: string; masterKey?: string; configFile?: string }>

function toText(done: BackedUp, took: number, where: Where): string {
  const { file, messages, events, bytes, included } = done
  const apart = toApart(done, where)
  const lines = [
    `${file}: ${messages} messages with ${events} events, ${toSize(bytes)}, verified, in ${toDuration(took)}`,
    included.length === 0
      ? 'The backup contains no keys.'
      : `The backup contains ${included.join(' and ')}: protect it like a key.`,
    ...(apart.length === 0 ? [] : ['Store separately:']),
    ...apart.map((line) => `  ${line}`),
    'Messages erased after this backup can still be read with it: delete old backups.',
  ]
  return lines.map((line) => `${line}\n`).join('')
}

/** What a restore needs besides the file, and what happens without it. */
function toApart({ apart }: BackedUp, { dataDir, masterKey, configFile }: Where): readonly string[] {
  const losses: Readonly<Record<string, string>> = {
    'master.key': UNREADABLE,
    'jwt.secret': 'without it all issued tokens become invalid',
  }
  return [
    ...(masterKey === undefined ? [] : [`POMBO_MASTER_KEY: ${UNREADABLE}`]),
    ...apart.map((name) => `${join(dataDir, name)}: ${losses[name]}`),
    ...(configFile === undefined ? [] : [`${configFile}: providers and routes`]),
  ]
}

const UNREADABLE = 'without it the messages in the backup cannot be read'
