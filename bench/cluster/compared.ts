/** What `--cluster --against` compares. */
import { type Compared, toTaken } from '../against.ts'
import type { EndToEnd } from '../end-to-end.ts'
import type { ClusterPart, Options } from '../options.ts'
import { measureAccept } from './accept.ts'
import type { Sync } from './broker.ts'
import { measureWithLag, type Scale } from './end-to-end.ts'
import { measureLimited } from './limits.ts'
import type { Postgres } from './postgres.ts'

type Part = Compared & Readonly<{ part: ClusterPart }>

const TARGET = { endToEnd: 2.5 }

export function comparedOf(postgres: Postgres, scale: Scale, { clusterParts }: Options): readonly Compared[] {
  const parts: readonly Part[] = [
    accepting(postgres, 'default'),
    accepting(postgres, 'always'),
    endToEnd(postgres, scale),
    limited(postgres),
  ]
  return parts.filter(({ part }) => clusterParts.has(part))
}

const accepting = (postgres: Postgres, sync: Sync): Part => ({
  part: 'n1',
  name: `(n1) durable 202, sync ${sync}`,
  async take(options) {
    const measured = await measureAccept(postgres, { sync, apis: 1 }, options)
    return toTaken(measured, { 'messages/s': measured.messagesPerSecond })
  },
})

const endToEnd = (postgres: Postgres, scale: Scale): Part => ({
  part: 'n2',
  name: '(n2) end to end',
  target: TARGET.endToEnd,
  async take(options) {
    const { endToEnd, lagging } = await measureWithLag(postgres, scale, options)
    const { held } = endToEnd
    const { p50, p99 } = lagging.lag.latency
    const figures = {
      'messages/s, until all are indexed': indexedPerSecond(endToEnd),
      'messages/s': held.endToEndPerSecond,
      'ms of index lag, p50': p50,
      'ms of index lag, p99': p99,
    }
    return toTaken(held, figures, 'bench')
  },
})

/** A version whose index falls behind delivers more messages meanwhile, and owes the rest. */
function indexedPerSecond({ held: { load }, indexedAfterSeconds }: EndToEnd): number {
  if (indexedAfterSeconds === undefined) throw new Error('the messages were not indexed in time')
  return load.answers / (load.seconds + indexedAfterSeconds)
}

const limited = (postgres: Postgres): Part => ({
  part: 'n7',
  name: '(n7) durable 202 under limits',
  async take(options) {
    const measured = await measureLimited(postgres, options)
    return toTaken(measured, { 'messages/s': measured.messagesPerSecond })
  },
})
