/**
 * `npm run cluster`: a small real cluster on loopback for a person to try. Three NATS servers that
 * keep everything three times, PostgreSQL, Redis, the simulator, two processes that take messages in,
 * two that send them, and one that keeps the index. It goes when it is interrupted, and leaves nothing.
 */
import { openCluster } from './support/cluster.ts'

process.stdout.write('starting NATS, PostgreSQL, Redis and Pombo …\n')
const startedAt = performance.now()
const cluster = await openCluster({
  nats: { nodes: 3 },
  replicas: 3,
  plan: { api: 2, worker: 2, projector: 1 },
})
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
const [first] = cluster.having('api')
const curl = [
  `curl -sS -X POST ${first?.url}/v1/sms/send`,
  `-H 'Authorization: Bearer ${cluster.token}'`,
  `-H 'Content-Type: application/json'`,
  `-H 'Idempotency-Key: hello-1'`,
  `-d '{"to":"+15005550100","message":"Hello from a cluster"}'`,
].join(' ')
process.stdout.write(`
It took ${seconds} s. The processes, each of which may be killed and the rest goes on:
${[cluster.simulator, ...cluster.members].map(({ name, url, pid }) => `  ${name.padEnd(12)} ${url}  pid ${pid()}`).join('\n')}
  NATS         ${cluster.nats.url}
  PostgreSQL   ${cluster.settings['POMBO_POSTGRES_URL']}
  Redis        ${cluster.redis.url}

Send a message
${curl}

Follow it
POMBO_URL=${first?.url} POMBO_TOKEN=${cluster.token} npx pombo tail

Ctrl-C ends it.
`)
// A test that is interrupted ends at once; here everything is put away first, however often the signal comes.
const interrupted = Promise.withResolvers<void>()
for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal).on(signal, () => interrupted.resolve())
await interrupted.promise
process.stdout.write('stopping …\n')
// A terminal interrupts the servers together with us, and then there is nothing left to clean up on them.
await Promise.allSettled([cluster[Symbol.asyncDispose]()])
