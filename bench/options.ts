/** The options of `npm run bench`. */
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { omitUndefined } from '../src/lib/omit-undefined.ts'

export const PARTS = ['a', 'b', 'b2', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'] as const
export type Part = (typeof PARTS)[number]

/** The parts of the cluster profile. */
export const CLUSTER_PARTS = ['n0', 'n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7', 'n8'] as const
export type ClusterPart = (typeof CLUSTER_PARTS)[number]

export type Options = Readonly<{
  parts: ReadonlySet<Part>
  /** Measures the cluster profile instead of the embedded one. */
  cluster: boolean
  clusterParts: ReadonlySet<ClusterPart>
  /** Measures what one tenant costs another instead. */
  isolation: boolean
  /** Measures Kannel and BullMQ beside (c). */
  peers: boolean
  profile: boolean
  /** The checkout of another version to compare with. */
  against?: string
  /** The checkout whose gateway is measured; this one by default. */
  tree?: string
  /** Where the results are written. */
  out: string
  quick: boolean
  /** The duration of accepting; the sustained parts take two or three times as long. */
  seconds: number
  warmUpSeconds: number
  /** The rounds of (a), (b), (c), (d), (g) and the peers, and the runs of (e), (h), (i2), (k), (n0), (n1), (n7) and (n8). */
  runs: number
  /** Messages waiting in (f) and (n4). */
  waiting: number
  /** Messages waiting in (f) when memory is measured again; left out if undefined. */
  waitingMost?: number
  /** Messages waiting in (f) when the gateway is killed. */
  waitingAtKill: number
  /** The number of api and worker processes in each round of (n6). */
  scale: readonly number[]
  /** Settings of every process of the cluster, besides the defaults. */
  settings: Readonly<Record<string, string>>
}>

/** How long a load takes, and on which gateway. */
export type Times = Pick<Options, 'seconds' | 'warmUpSeconds' | 'tree'>

export const HELP = `Benchmarks Pombo on this machine; bench/README.md explains the letters.

npm run bench -- [options]

  --only a,b,c     only these parts of ${PARTS.join(', ')}
  --cluster        the cluster profile instead; its parts are ${CLUSTER_PARTS.join(', ')}
  --isolation      what one tenant costs another instead
  --scale 1,2,4    numbers of api and worker processes in (n6) (1,2,4)
  --set NAME=VALUE setting of every process of the cluster, such as POMBO_CONCURRENCY=64; repeatable
  --no-peers       without Kannel and BullMQ, which are otherwise installed from packages if they are missing
  --against PATH   only (b), (c), (d), (f), (i1), (j) and (k1), in turns with the gateway of another checkout
  --profile        only a CPU profile under load
  --out FOLDER     write the results there (bench/results)
  --seconds N      measure accepting for N seconds (10)
  --runs N         median of N runs (3)
  --quick          a short trial: 3 seconds, one run, a shorter queue
`

/** Undefined for --help; throws when an option is invalid. */
export function parseOptions(argv: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      only: { type: 'string' },
      cluster: { type: 'boolean', default: false },
      isolation: { type: 'boolean', default: false },
      scale: { type: 'string' },
      set: { type: 'string', multiple: true, default: [] },
      'no-peers': { type: 'boolean', default: false },
      against: { type: 'string' },
      out: { type: 'string', default: join(import.meta.dirname, 'results') },
      profile: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      seconds: { type: 'string' },
      runs: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help === true) return undefined
  const { quick, profile, cluster, isolation, only, against, out, scale = quick ? '1,2' : '1,2,4' } = values
  return omitUndefined({
    parts: parseParts(PARTS, cluster ? undefined : only),
    cluster,
    clusterParts: parseParts(CLUSTER_PARTS, cluster ? only : undefined),
    isolation,
    peers: !values['no-peers'],
    profile,
    against: against === undefined ? undefined : resolve(against),
    out: resolve(out),
    quick,
    seconds: whole('seconds', values.seconds, quick ? 3 : 10),
    warmUpSeconds: quick ? 1 : 2,
    runs: whole('runs', values.runs, quick ? 1 : 3),
    waiting: quick ? 10_000 : 100_000,
    waitingMost: quick ? undefined : 1_000_000,
    waitingAtKill: quick ? 20_000 : 200_000,
    scale: scale.split(',').map((some) => whole('scale', some, 1)),
    settings: Object.fromEntries(values.set.map(parseSetting)),
  })
}

function parseSetting(text: string): readonly [string, string] {
  const [, name, value] = /^(POMBO_\w+)=(.*)$/.exec(text) ?? []
  if (name === undefined || value === undefined) throw new Error(`--set must be POMBO_NAME=VALUE, not "${text}"`)
  return [name, value]
}

function parseParts<Name extends string>(all: readonly Name[], only: string | undefined): ReadonlySet<Name> {
  if (only === undefined) return new Set(all)
  return new Set(
    only.split(',').map((name) => {
      const part = all.find((known) => known === name.trim())
      if (part === undefined) throw new Error(`--only must be one or more of ${all.join(', ')}, not "${name}"`)
      return part
    }),
  )
}

function whole(name: string, value: string | undefined, fallback: number): number {
  if (value === undefined) return fallback
  if (!/^[1-9]\d{0,3}$/.test(value)) throw new Error(`--${name} must be a whole number from 1 to 9999`)
  return Number(value)
}
