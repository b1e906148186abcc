/** Fastify and BullMQ on a Redis with `appendfsync always`. */
import { join } from 'node:path'
import { toClosedLoop } from '../accept.ts'
import { readMemory } from '../cpu.ts'
import { measure } from '../measure.ts'
import type { Times } from '../options.ts'
import { freePort, openFolder, runToEnd, startProcess } from '../processes.ts'
import { BANNER, openServer } from '../server.ts'
import { findProgram } from './install.ts'
import type { MeasurePeer, PeerRun } from './peer.ts'

/** The folder that BullMQ is installed in is removed with `opened`. */
export async function installBullmq(opened: DisposableStack): Promise<MeasurePeer> {
  const redis = await findProgram(['/usr/bin/redis-server', '/usr/local/bin/redis-server'], ['redis-server'])
  const { path: library } = opened.use(openFolder())
  await runToEnd('npm', ['install', '--prefix', library, '--no-audit', '--no-fund', 'bullmq', 'ioredis'])
  return (times) => measureBullmq({ redis, library }, times)
}

type Programs = Readonly<{ redis: string; library: string }>

async function measureBullmq({ redis, library }: Programs, times: Times): Promise<PeerRun> {
  using folder = openFolder()
  const port = await freePort()
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '', '--maxmemory-policy', 'noeviction']
  await using database = await startProcess({
    name: 'Redis',
    file: redis,
    args: ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder.path, ...durable],
    ready: /Ready to accept connections/,
  })
  await using server = await openServer({
    name: 'Fastify with BullMQ',
    file: process.execPath,
    args: [join(import.meta.dirname, 'bullmq-server.ts'), library, String(port)],
    ready: BANNER,
  })
  const plan = { ...toClosedLoop(server, times), countOut: () => countDelivered(server.port) }
  const { load, rssMb, outPerSecond } = await measure(server, plan)
  return {
    load,
    endToEndPerSecond: Math.min(outPerSecond ?? 0, load.perSecond),
    rssMb: rssMb + readMemory(database.pid).rssMb,
  }
}

async function countDelivered(port: number): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/delivered`)
  const { delivered } = (await response.json()) as { delivered: number }
  return delivered
}
