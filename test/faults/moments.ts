/**
 * Kills a process at the moments at which a message is in nobody's store but that process's: while new messages are
 * handed to a worker, right after a worker took them, and while a delivery report is forwarded to the worker that made
 * the attempt. These are requests that the broker does not store, so a subscription sees them as they happen.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { namesFor } from '../../src/engines/nats/subjects.ts'
import { type Random, randomInteger, seededRandom } from '../support/random.ts'
import { until } from '../support/until.ts'
import type { Fault, Scene } from './fault.ts'

type Moment = Readonly<{
  name: string
  /** The role that is killed. */
  role: 'api' | 'worker'
  subject: (prefix: string) => string
  /** How long after the request. A worker has answered a handover within a millisecond or two, and then sends. */
  afterMs: readonly [from: number, to: number]
}>

const handover = (prefix: string): string => namesFor(prefix, 1).handover
const forwarded = (prefix: string): string => namesFor(prefix, 1).forwarded('*')

const MOMENTS: readonly Moment[] = [
  { name: 'api between handover and 202', role: 'api', subject: handover, afterMs: [0, 0] },
  { name: 'worker with a batch it just took', role: 'worker', subject: handover, afterMs: [0, 3] },
  { name: 'worker with a report on the way', role: 'worker', subject: forwarded, afterMs: [0, 0] },
]

/** The time between a restart and the next kill, so that messages are handed over again. */
const UP_MS = [300, 900] as const
const SEEN_WITHIN = { withinMs: 30_000, everyMs: 1 }

export const moments: Fault = {
  name: 'moments',
  promise: 'kills while messages and reports are handed from process to process lose none and send none twice',
  usual: { kills: 30, seconds: 0 },
  brief: { kills: 3, seconds: 0 },
  lacks: ({ cluster }) =>
    cluster.nats.faults === undefined ? 'an external NATS server cannot be listened to' : undefined,
  async inject(scene) {
    const { site, plan, note } = scene
    const connection = await connect({ servers: site.cluster.nats.url.split(',') })
    try {
      const random = seededRandom(plan.seed)
      for (let kill = 0; kill < plan.kills; kill += 1) {
        const moment = MOMENTS[kill % MOMENTS.length] as Moment
        await killAt(scene, moment, connection, random)
        plan.onProgress(`kill ${kill + 1} of ${plan.kills}: ${moment.name}`)
      }
    } finally {
      await connection.close()
    }
    for (const [index, { name }] of MOMENTS.entries()) {
      note(`kills: ${name}`, Math.ceil((plan.kills - index) / MOMENTS.length))
    }
    return []
  },
}

async function killAt({ site }: Scene, moment: Moment, connection: NatsConnection, random: Random): Promise<void> {
  const members = site.workforce.filter(({ name }) => name.startsWith(moment.role))
  const member = members[randomInteger(random, 0, members.length - 1)]
  await wait(randomInteger(random, ...UP_MS))
  const delay = randomInteger(random, ...moment.afterMs)
  let killed: Promise<unknown> | undefined
  const prefix = site.cluster.settings['POMBO_NATS_PREFIX'] ?? ''
  const subscription = connection.subscribe(moment.subject(prefix), {
    callback: () => {
      killed ??= delay === 0 ? member?.kill('SIGKILL') : wait(delay).then(() => member?.kill('SIGKILL'))
    },
  })
  try {
    await until(moment.name, () => killed !== undefined, SEEN_WITHIN)
  } finally {
    subscription.unsubscribe()
  }
  await killed
  await member?.start()
}
