import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { openFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { untilJetStream } from '../support/jetstream.ts'
import { skipUnavailable } from '../support/skip.ts'
import { findTool } from '../support/tools.ts'
import { START_WITHIN_MS, until } from '../support/until.ts'
import { readCompose, sampleEnv } from './compose.ts'
import { textOf, yamlIn } from './files.ts'

const CONF = 'deploy/nats/nats.conf'
const NODES = ['nats-1', 'nats-2', 'nats-3']
/** A password that an unquoted NATS configuration would read as a number. */
const AWKWARD = '12e5'

/** The local ports of one server, replacing those in the files. */
type Ports = Readonly<{ '4222': number; '6222': number; '8222': number }>

describe('the NATS servers of compose', () => {
  test('form a cluster with three replicas, and require the password', async (t) => {
    const program = findTool('nats-server')
    if (program === undefined) return skipUnavailable(t, 'there is no nats-server')
    await using folder = await openFolder()
    await using opened = new AsyncDisposableStack()
    const ports = new Map<string, Ports>()
    for (const node of NODES)
      ports.set(node, { 4222: await freePort(), 6222: await freePort(), 8222: await freePort() })
    for (const node of NODES) opened.defer(await start(program, node, folder.path, ports))

    for (const { 8222: port } of ports.values()) {
      const healthz = () =>
        fetch(`http://127.0.0.1:${port}/healthz`).then(
          ({ ok }) => ok,
          () => false,
        )
      await until('NATS to be healthy', healthz, { withinMs: START_WITHIN_MS })
    }
    const servers = `127.0.0.1:${ports.get('nats-1')?.[4222]}`
    const connection = await connect({ servers, user: 'pombo', pass: AWKWARD })
    const { streams } = await untilJetStream(() => jetstreamManager(connection))
    const log = { name: 'LOG', subjects: ['log.>'], num_replicas: 3 }
    const { config } = await untilJetStream(() => streams.add(log))
    assert.equal(config.num_replicas, 3)
    await connection.close()
    await assert.rejects(connect({ servers, user: 'pombo', pass: '1200000', reconnect: false }), /Authorization/)
  })
})

describe('the NATS servers of the chart', () => {
  test('read their passwords from the environment and their sync interval as a string', () => {
    type Values = { config: { jetstream: { merge: { sync_interval: unknown } } }; container: { env: object } }
    const [values] = yamlIn('deploy/nats/values.example.yaml') as [Values]
    const read = [...JSON.stringify(values).matchAll(/"password":"<< \$(\w+) >>"/g)].map(([, name]) => name)
    assert.deepEqual(read.toSorted(), ['NATS_ADMIN_PASSWORD', 'NATS_PASSWORD', 'NATS_ROUTE_PASSWORD'])
    for (const name of read) assert.ok(name !== undefined && name in values.container.env, name)
    assert.equal(values.config.jetstream.merge.sync_interval, '2m')
  })
})

/** Starts a server with the file, environment and arguments of compose, with local paths and ports. */
async function start(program: string, node: string, folder: string, all: ReadonlyMap<string, Ports>) {
  const secrets = { ...sampleEnv(), NATS_PASSWORD: AWKWARD }
  const { environment = {}, command = [] } = readCompose(secrets).services[node] ?? {}
  const own = all.get(node)
  const conf = join(folder, `${node}.conf`)
  const text = textOf(CONF)
    .replace('store_dir: /data', `store_dir: "${join(folder, node)}"`)
    .replaceAll(/0\.0\.0\.0:(4222|6222|8222)/g, (_, port: keyof Ports) => `127.0.0.1:${own?.[port]}`)
  writeFileSync(conf, text)
  const args = command.map((arg) =>
    arg
      .replace('/etc/nats/nats.conf', conf)
      .replaceAll(/@(nats-\d):6222/g, (_, other: string) => `@127.0.0.1:${all.get(other)?.[6222]}`),
  )
  const env = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, String(value)]))
  const child = spawn(program, args, { env, stdio: 'ignore' })
  return () => end(child)
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || !child.kill('SIGKILL')) return
  await once(child, 'exit')
}
