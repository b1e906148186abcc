import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { isPombo, readCompose, sampleEnv } from './compose.ts'
import { type Instruction, isLeftOut, readDockerfile, stagesOf } from './dockerfile.ts'
import { ROOT, textOf } from './files.ts'
import { render } from './kubectl.ts'
import { podsOf } from './pods.ts'

const instructions = readDockerfile()
const restsOf = (name: string): string[] =>
  instructions.filter((instruction) => instruction.name === name).map(({ rest }) => rest)
const isRun = ({ name }: Instruction): boolean => name === 'RUN'
const lastOf = (name: string): string => restsOf(name).at(-1) ?? ''

describe('the image', () => {
  test('is based on a supported Node of a pinned version', () => {
    const { engines } = JSON.parse(textOf('package.json')) as { engines: { node: string } }
    const major = /\d+/.exec(engines.node)?.[0]
    const bases = stagesOf(instructions).map(({ base }) => base)
    assert.deepEqual(new Set(bases), new Set([`node:${major}-bookworm-slim`]))
  })

  test('runs as a numeric non-root user', () => {
    assert.match(lastOf('USER'), /^[1-9]\d*:[1-9]\d*$/)
    const indexOf = (name: string): number => instructions.findLastIndex((instruction) => instruction.name === name)
    assert.ok(indexOf('USER') < indexOf('ENTRYPOINT'))
  })

  test('runs as the same user in every deployment', async (t) => {
    const [user] = lastOf('USER').split(':').map(Number)
    const composed = Object.values(readCompose(sampleEnv()).services).filter(isPombo)
    const folders = composed.flatMap(({ tmpfs = [] }) => tmpfs).filter((mount) => mount.startsWith('/data:'))
    assert.ok(folders.length > 0)
    for (const mount of folders) assert.match(mount, new RegExp(`uid=${user},gid=${user}$`))
    for (const { owner, spec } of podsOf((await render(t, 'deploy/kubernetes/overlays/example')) ?? [])) {
      const { runAsUser, runAsGroup, fsGroup } = spec.securityContext ?? {}
      assert.deepEqual([runAsUser, runAsGroup, fsGroup], [user, user, user], owner)
    }
  })

  test('is tried out by its build as it is started later', () => {
    const tried = restsOf('RUN').at(-1) ?? ''
    assert.equal(instructions.findLastIndex(({ name }) => name === 'USER') + 1, instructions.findLastIndex(isRun))
    assert.deepEqual(JSON.parse(tried), ['node', '/app/deploy/smoke/main.ts', ...JSON.parse(lastOf('ENTRYPOINT'))])
  })

  test('keeps its data in a volume', () => {
    const [, folder] = /POMBO_DATA_DIR=(\S+)/.exec(lastOf('ENV')) ?? []
    assert.equal(lastOf('VOLUME'), folder)
  })

  test('copies only files that exist and are not ignored', () => {
    const copied = restsOf('COPY').filter((rest) => !rest.startsWith('--from='))
    assert.ok(copied.length > 0)
    for (const source of copied.flatMap((rest) => rest.split(' ').slice(0, -1))) {
      assert.ok(existsSync(join(ROOT, source)), source)
      assert.equal(isLeftOut(source), false, source)
    }
  })

  test('contains no secrets, data, Git history or tests', () => {
    const unwanted = ['.git/config', '.env', 'deploy/compose/.env', 'data/master.key', 'data/pombo.db', 'jwt.secret']
    const heavy = ['node_modules/fastify/package.json', 'test/e2e/kill.test.ts', 'src/config.test.ts', 'bench/main.ts']
    const made = ['console/dist/index.html', 'console/node_modules/vite/package.json', 'coverage/x']
    for (const path of [
      ...unwanted,
      ...heavy,
      ...made,
      'src/data/master.key',
      'src/.env',
      'docs/email.md',
      'deploy/Dockerfile',
    ]) {
      assert.equal(isLeftOut(path), true, path)
    }
    const wanted = [
      'src/main.ts',
      'deploy/smoke/main.ts',
      'bin/pombo.cjs',
      'package-lock.json',
      'console/src/main.tsx',
      'docs/openapi.json',
    ]
    for (const path of wanted) assert.equal(isLeftOut(path), false, path)
  })

  test('imports no ignored file', () => {
    const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .map((path) => `src/${path}`)
      .filter((path) => path.endsWith('.ts') && !isLeftOut(path))
    assert.ok(sources.length > 50)
    for (const source of sources) {
      const imported = textOf(source).matchAll(/(?:from|import\(|new URL\()\s*'(\.{1,2}\/[^']+\.ts)'/g)
      for (const [, path = ''] of imported) {
        assert.equal(isLeftOut(join(dirname(source), path)), false, `${source} imports ${path}`)
      }
    }
  })

  test('starts Node directly, so that it receives SIGTERM', () => {
    const [program, ...args] = JSON.parse(lastOf('ENTRYPOINT')) as string[]
    assert.equal(program, 'node')
    assert.ok(existsSync(join(ROOT, (args.at(-1) ?? '').replace('/app/', ''))))
    assert.deepEqual([lastOf('STOPSIGNAL'), lastOf('CMD')], ['SIGTERM', '["serve"]'])
  })

  test('limits the heap to a part of the pod memory', () => {
    const heap = Number(/--max-old-space-size=(\d+)/.exec(lastOf('ENTRYPOINT'))?.[1])
    const limit = Number(/limits: .*memory: (\d+)Mi/.exec(textOf('deploy/kubernetes/base/patch-pod.yaml'))?.[1])
    assert.ok(heap > 0 && heap <= 0.7 * limit, `${heap} of ${limit}`)
  })
})

describe('the health check of the image', () => {
  const [program = '', ...args] = JSON.parse(lastOf('HEALTHCHECK').replace(/^.*?CMD /, '')) as string[]

  async function check(port: number): Promise<number | null> {
    assert.equal(program, 'node')
    const child = spawn(process.execPath, args, { env: { POMBO_PORT: String(port) }, stdio: 'ignore' })
    const [code] = (await once(child, 'exit')) as [number | null]
    return code
  }

  test('succeeds while the process is live, and fails otherwise', async (t) => {
    let status = 200
    const asked: unknown[] = []
    const server = createServer(({ url }, answer) => {
      asked.push(url)
      answer.writeHead(status).end('{}')
    }).listen(0, '127.0.0.1')
    t.after(() => server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    assert.equal(await check(port), 0)
    status = 503
    assert.equal(await check(port), 1)
    assert.deepEqual(asked, ['/health/live', '/health/live'])
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
    assert.equal(await check(port), 1)
  })
})
