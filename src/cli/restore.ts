/** `pombo restore`: restores a backup into the data folder of the embedded profile. The gateway must be stopped. */
import { loadConfig } from '../config/config.ts'
import { defineCommand } from './command.ts'
import { EXIT } from './exit.ts'
import { toDayTime } from './render.ts'
import type { Restored } from './world.ts'

export const restore = defineCommand({
  name: 'restore',
  summary: 'Restore a backup of the embedded profile into the data folder; the gateway must be stopped.',
  words: { usage: 'FILE', least: 1, most: 1 },
  options: {
    force: { about: 'move an existing database to a folder named replaced-…' },
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

/** Tells the operator what a restore cannot know: what happened after the backup was made. */
function toText(done: Restored): string {
  const { folder, messages, events, waiting, keys, skipped, aside } = done
  const time = timeOf(done)
  const when = time === undefined ? 'the time of the backup' : toDayTime(time)
  const lines = [
    `${folder} now has ${messages} messages with ${events} events, as of ${when}.`,
    ...(keys.length === 0 ? [] : [`Restored ${keys.join(' and ')} from the backup.`]),
    ...skipped.map((name) => `Did not restore ${name}, because ${folder} has a different one. ${TO_REPLACE}`),
    ...(aside === undefined ? [] : [`The previous files are in ${aside}.`]),
    `Messages accepted after ${when} are missing. Messages erased after it can be read again: erase them again.`,
    waiting === 0
      ? 'No messages are waiting to be sent, except any of the last second before the backup.'
      : `${waiting} messages are waiting to be sent or retried. Those that were sent after the backup will be sent AGAIN.`,
    'To inspect the data without sending:  pombo serve --roles api,callbacks,poller,projector',
    'To resume sending:                    pombo serve',
  ]
  return lines.map((line) => `${line}\n`).join('')
}
