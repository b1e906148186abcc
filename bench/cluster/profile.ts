/** `--cluster --profile`: CPU profiles of all processes under load. */
import { toClosedLoop } from '../accept.ts'
import { measure } from '../measure.ts'
import type { Options } from '../options.ts'
import { openFolder } from '../processes.ts'
import { drained, printProfiles as print } from '../profile.ts'
import { openCluster } from './cluster.ts'
import type { Scale } from './end-to-end.ts'
import type { Postgres } from './postgres.ts'

export async function printProfiles(postgres: Postgres, scale: Scale, options: Options): Promise<void> {
  using folder = openFolder()
  const { names, messages } = await load(postgres, scale, options, folder.path)
  // The main thread is number zero; the simulator has more.
  print(folder.path, messages, (pid, thread) => (thread === 0 ? names.get(pid) : undefined))
}

/** Everything accepted is also delivered and indexed, so that the profiles have every step of each message. */
async function load(postgres: Postgres, scale: Scale, options: Options, folder: string) {
  const nodeArgs = () => ['--cpu-prof', `--cpu-prof-dir=${folder}`]
  await using cluster = await openCluster(postgres, { ...options, ...scale, sync: 'default', projectors: 1, nodeArgs })
  const { cpu, messagesPerSecond } = await measure(cluster, toClosedLoop(cluster, options))
  const messages = await drained(cluster)
  const accepted = Math.round(messagesPerSecond)
  process.stdout.write(`${accepted} accepted a second; ${messages} messages in all; µs of CPU for each accepted:\n`)
  process.stdout.write(`${JSON.stringify(cpu)}\n`)
  return { names: new Map(cluster.processes().map(({ pid, name }) => [pid, name])), messages }
}
