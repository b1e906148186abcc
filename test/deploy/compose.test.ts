import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { skipUnavailable } from '../support/skip.ts'
import { COMPOSE, ENV_EXAMPLE, isPombo, readCompose, type Service, sampleEnv, serves, variablesIn } from './compose.ts'
import { composeProblems } from './compose-schema.ts'
import { envIn, ROOT, textOf } from './files.ts'

const { services, networks, volumes } = readCompose(sampleEnv())
const each = Object.entries(services)

describe('the compose file', () => {
  test('is valid by the schema of the compose specification', (t) => {
    const problems = composeProblems(readCompose(sampleEnv()))
    if (problems === undefined) return skipUnavailable(t, 'the schema of compose is not installed')
    assert.deepEqual(problems, [])
  })

  for (const [what, wrong, problem] of [
    ['an unknown key', { stop_grace_periud: '45s' }, /api-1 .*stop_grace_periud/],
    ['a wrong type', { read_only: [] }, /api-1\/read_only/],
    ['an unknown condition', { depends_on: { redis: { condition: 'service_ready' } } }, /api-1\/depends_on\/redis/],
  ] as const) {
    test(`is not valid with ${what}`, (t) => {
      const compose = readCompose(sampleEnv())
      const services = { ...compose.services, 'api-1': { ...compose.services['api-1'], ...wrong } }
      const problems = composeProblems({ ...compose, services })
      if (problems === undefined) return skipUnavailable(t, 'the schema of compose is not installed')
      assert.match(problems.join('\n'), problem)
    })
  }

  test('has three brokers, two api, two workers, a projector, a database, a Redis and the simulator', () => {
    const brokers = each.filter(([, { image }]) => image.startsWith('nats:'))
    const roles = each
      .filter(([, service]) => serves(service))
      .map(([, { command, deploy }]) => [command?.[2], deploy?.replicas ?? 1])
    assert.equal(brokers.length, 3)
    assert.deepEqual(roles, [
      ['api,callbacks', 1],
      ['api,callbacks', 1],
      ['worker,poller', 2],
      ['projector', 1],
    ])
    assert.ok(['postgres', 'redis', 'simulator'].every((name) => services[name] !== undefined))
  })

  test('depends only on services that exist and can reach the condition', () => {
    for (const [name, { depends_on: needs = {} }] of each) {
      for (const [other, { condition }] of Object.entries(needs)) {
        const service = services[other]
        assert.ok(service !== undefined, `${name} waits for ${other}`)
        if (condition === 'service_healthy')
          assert.ok(service.healthcheck?.test !== undefined, `${other} has no health`)
        if (condition === 'service_completed_successfully') assert.equal(service.restart, 'no', `${other} never ends`)
      }
    }
  })

  test('starts Pombo after the database is migrated and NATS is healthy', () => {
    for (const [name, service] of each.filter(([, service]) => serves(service))) {
      assert.equal(service.depends_on?.['migrate']?.condition, 'service_completed_successfully', name)
      assert.equal(service.depends_on?.['nats-1']?.condition, 'service_healthy', name)
    }
    assert.equal(services['migrate']?.depends_on?.['postgres']?.condition, 'service_healthy')
  })

  test('mounts and joins only existing files, volumes and networks', () => {
    const folder = join(ROOT, COMPOSE, '..')
    for (const [name, service] of each) {
      for (const [source = ''] of (service.volumes ?? []).map((volume) => volume.split(':'))) {
        const isThere = source.startsWith('.') ? existsSync(join(folder, source)) : source in volumes
        assert.ok(isThere, `${name} mounts ${source}`)
      }
      for (const network of networksOf(service)) assert.ok(network in networks, `${name} joins ${network}`)
    }
  })

  test('does not expose NATS and the database', () => {
    assert.deepEqual(networks['stores'], { internal: true })
    for (const name of ['nats-1', 'nats-2', 'nats-3', 'postgres', 'redis']) {
      assert.deepEqual(networksOf(services[name] as Service), ['stores'], name)
    }
  })

  test('gives every service a read-only disk and no capabilities', () => {
    for (const [name, { read_only, cap_drop, security_opt }] of each) {
      assert.deepEqual([read_only, cap_drop, security_opt], [true, ['ALL'], ['no-new-privileges:true']], name)
    }
  })

  test('publishes only the API, on loopback', () => {
    const published = each.flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port]))
    assert.deepEqual(published, [
      ['api-1', '127.0.0.1:8080:8080'],
      ['api-2', '127.0.0.1:8081:8080'],
    ])
  })

  test('has a stop grace period longer than a shutdown may take', () => {
    for (const [name, service] of each.filter(([, service]) => serves(service))) {
      const grace = Number.parseInt(service.stop_grace_period ?? '0', 10)
      assert.ok(grace >= Number(service.environment?.['POMBO_SHUTDOWN_SECONDS']) + 10, name)
    }
  })

  test('pins image versions, and runs one Pombo image', () => {
    const { version } = JSON.parse(textOf('package.json')) as { version: string }
    for (const [name, { image }] of each) assert.match(image, /:\d/, name)
    assert.deepEqual(
      new Set(each.filter(([, s]) => isPombo(s)).map(([, { image }]) => image)),
      new Set([`pombo:${version}`]),
    )
  })

  test('gives the owner credentials only to the migration', () => {
    const holders = each.filter(([, { environment = {} }]) =>
      Object.keys({ ...environment }).some((key) => /OWNER/.test(key)),
    )
    assert.deepEqual(
      holders.map(([name]) => name),
      ['migrate', 'postgres'],
    )
  })
})

describe('the example of the secrets file', () => {
  const wanted = variablesIn(textOf(COMPOSE))
  const offered = envIn(ENV_EXAMPLE)

  test('has every variable without a default, and no unused one', () => {
    const needed = [...wanted].filter(([, hasDefault]) => !hasDefault).map(([name]) => name)
    assert.deepEqual(Object.keys(offered).toSorted(), needed.toSorted())
  })

  test('contains no secret', () => {
    assert.deepEqual([...new Set(Object.values(offered))], [''])
    assert.match(textOf('deploy/compose/.gitignore'), /^\.env$/m)
  })

  test('makes compose refuse to start until it is filled in', () => {
    for (const name of Object.keys(offered)) {
      assert.throws(() => readCompose({ ...sampleEnv(), [name]: '' }), new RegExp(name))
    }
  })

  test('has commands that generate every secret', () => {
    const made = /for name in (.*?); do/s.exec(textOf(ENV_EXAMPLE))?.[1]?.match(/\w+/g) ?? []
    assert.deepEqual(made.toSorted(), Object.keys(offered).toSorted())
  })
})

const networksOf = ({ networks: joined }: Service): readonly string[] =>
  Array.isArray(joined) ? joined : Object.keys(joined)
