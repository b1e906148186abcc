/** `pombo restore`: puts a backup into the data folder of the embedded profile, while no gateway runs there. */
import { loadConfig } from '../config/config.ts'
import { defineCommand } from './command.ts'
import { EXIT } from './exit.ts'
import { toDayTime } from './render.ts'
import type { Restored } from './world.ts'

export const restore = defineCommand({
  name: 'restore',
  summary: 'Restore a backup of the embedded profile into the data folder; the gateway must be stopped for it.',
  words: { usage: 'FILE', least: 1, most: 1 },
  options: {
    force: { about: 'move a database that is there aside, into a folder named replaced-…' },
    json: { about: 'print the result as JSON' },
  },
  async run(world, values, [file = '']) {
    const config = loadConfig(world.env, world.readFile)
    const done = await world.restoreData(config, file, { force: values.force === true })
    world.out.write(values.json === true ? `${JSON.stringify(toJson(done))}\n` : toText(done))
    return EXIT.ok
  },
})

const timeOf = ({ madeAt }: Restored): string | undefined =>
  madeAt === undefined ? undefined : new Date(madeAt).toISOString()

function toJson(done: Restored) {
  const { madeAt: _, ...rest } = done
  return { ...rest, made_at: timeOf(done) }
}

const TO_REPLACE = 'To use the one in the backup, restore again with --force.'

/** A restored database is a step back in time, and nobody but a person can tell what happened since. */
function toText(done: Restored): string {
  const { folder, messages, events, waiting, keys, skipped, aside } = done
  const time = timeOf(done)
  const when = time === undefined ? 'the time of the backup' : toDayTime(time)
  const lines = [
    `${folder} holds ${messages} messages with ${events} events, as of ${when}.`,
    ...(keys.length === 0 ? [] : [`From the backup came also ${keys.join(' and ')}.`]),
    ...skipped.map((name) => `${name} was not restored, because ${folder} has another one. ${TO_REPLACE}`),
    ...(aside === undefined ? [] : [`What was there before is in ${aside}.`]),
    `Messages accepted since ${when} are not in it, and messages erased since can be read again: erase them again.`,
    waiting === 0
      ? 'No message was waiting to be sent.'
      : `${waiting} messages were waiting to be sent or retried. Those that were sent since will be sent AGAIN.`,
    'To look first, without sending anything:  pombo serve --roles api,callbacks,poller,projector',
    'To send again:                            pombo serve',
  ]
  return lines.map((line) => `${line}\n`).join('')
}
