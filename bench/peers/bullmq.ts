/** Fastify and BullMQ on a Redis with `appendfsync always`. */
import { join } from 'node:path'
import { toClosedLoop } from '../accept.ts'
import { readMemory } from '../cpu.ts'
import { measure } from '../measure.ts'
import type { Options } from '../options.ts'
import { freePort, openFolder, runToEnd, startProcess } from '../processes.ts'
import { BANNER, openServer } from '../server.ts'
import { findProgram } from './install.ts'
import type { Peer } from './peer.ts'

export async function measureBullmq(options: Options): Promise<Peer> {
  using folder = openFolder()
  const redis = await findProgram(['/usr/bin/redis-server', '/usr/local/bin/redis-server'], ['redis-server'])
  await runToEnd('npm', ['install', '--prefix', folder.path, '--no-audit', '--no-fund', 'bullmq', 'ioredis'])
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
    args: [join(import.meta.dirname, 'bullmq-server.ts'), folder.path, String(port)],
    ready: BANNER,
  })
  const plan = { ...toClosedLoop(server, options), countOut: () => countDelivered(server.port) }
  const { load, rssMb, outPerSecond } = await measure(server, plan)
  return {
    name: 'Fastify + BullMQ',
    load,
    endToEndPerSecond: Math.min(outPerSecond ?? 0, load.perSecond),
    rssMb: rssMb + readMemory(database.pid).rssMb,
    durable: true,
    about:
      'Redis with appendfsync always; worker with a concurrency of 64 in the same process; no receipts, no timeline',
  }
}

async function countDelivered(port: number): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/delivered`)
  const { delivered } = (await response.json()) as { delivered: number }
  return delivered
}
