/**
 * `npm run cluster`: a small real cluster on loopback to try out. Three NATS servers with three replicas, PostgreSQL,
 * Redis, the simulator, two API processes, two workers and a projector. It removes everything when interrupted.
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
const [first] = cluster.withRole('api')
const curl = [
  `curl -sS -X POST ${first?.url}/v1/sms/send`,
  `-H 'Authorization: Bearer ${cluster.token}'`,
  `-H 'Content-Type: application/json'`,
  `-H 'Idempotency-Key: hello-1'`,
  `-d '{"to":"+15005550100","message":"Hello from a cluster"}'`,
].join(' ')
process.stdout.write(`
Started in ${seconds} s. Any of these processes can be killed:
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
// Unlike in tests, an interrupt first removes everything, even if the signal is repeated.
const interrupted = Promise.withResolvers<void>()
for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal).on(signal, () => interrupted.resolve())
await interrupted.promise
process.stdout.write('stopping …\n')
// A terminal interrupts the servers too, so that cleaning up on them may fail.
await Promise.allSettled([cluster[Symbol.asyncDispose]()])
