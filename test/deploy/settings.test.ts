import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { IConfigMap, ISecret } from 'kubernetes-models/v1'
import { type Config, ConfigError, loadConfig, SETTINGS } from '../../src/config/config.ts'
import { ROLES, type Role } from '../../src/config/settings.ts'
import { namesFor } from '../../src/engines/nats/subjects.ts'
import { runPombo } from '../support/command.ts'
import { readCompose, type Service, sampleEnv, serves } from './compose.ts'
import { deployFiles, envIn, textOf } from './files.ts'
import { render } from './kubectl.ts'
import { ofKind, podsOf } from './pods.ts'

const EXAMPLE = 'deploy/kubernetes/overlays/example'
const PLACEHOLDER = 'REPLACE-ME'

/** The configuration file of each deployment, by mount path. */
const fileOf =
  (path: string) =>
  (mounted: string): string => {
    assert.equal(mounted, '/etc/pombo/config.json')
    return textOf(path)
  }
const load = (env: Readonly<Record<string, string>>, config: string): Config =>
  loadConfig({ POMBO_HOST: '0.0.0.0', ...env }, fileOf(config))

describe('the settings of the deployments', () => {
  test('exist, wherever they are mentioned', () => {
    const { log, keys, queues: lines, breakers, receipts, contents, events, gates, rounds } = namesFor('POMBO', 1)
    const streams = [log, keys, lines, breakers, receipts, contents, events, gates, rounds]
    const known = new Set([...SETTINGS.map(([, { env }]) => env), ...streams])
    for (const path of [...deployFiles(), '.dockerignore', 'docs/operations.md']) {
      // A name that ends in an underscore or a star is a prefix.
      const named = textOf(path).match(/\bPOMBO_[A-Z_]*[A-Z]\b(?![_*])/g) ?? []
      assert.deepEqual(
        named.filter((name) => !known.has(name)),
        [],
        path,
      )
    }
  })

  test('of Kubernetes start Pombo once the placeholders are replaced, without a warning', async (t) => {
    const manifests = await render(t, EXAMPLE)
    if (manifests === undefined) return
    const config = load({ ...literalsOf(manifests), ...SECRETS }, 'deploy/kubernetes/base/config.json')
    assert.deepEqual([config.profile, config.natsReplicas, config.warnings], ['cluster', '3', []])
  })

  test('of Kubernetes are refused by name while a placeholder is left', async (t) => {
    const manifests = await render(t, EXAMPLE)
    if (manifests === undefined) return
    const placeholders = { ...envIn(`${EXAMPLE}/secrets.env`), ...envIn(`${EXAMPLE}/secrets-migrate.env`) }
    assert.deepEqual([...new Set(Object.values(placeholders))], [PLACEHOLDER])
    assert.deepEqual(Object.keys(placeholders).toSorted(), Object.keys(SECRETS).toSorted())
    for (const name of Object.keys(placeholders)) {
      const env = { ...literalsOf(manifests), ...SECRETS, [name]: PLACEHOLDER }
      assert.throws(() => load(env, 'deploy/kubernetes/base/config.json'), isAbout(name))
    }
  })

  test('of compose start Pombo, in every service, without a warning', () => {
    const { services } = readCompose(sampleEnv())
    for (const [name, service] of Object.entries(services)) {
      if (!serves(service) && name !== 'migrate') continue
      const config = load(envOf(service), 'deploy/compose/config.json')
      assert.deepEqual([config.profile, config.natsReplicas, config.warnings], ['cluster', '3', []], name)
    }
  })
})

describe('the processes of the deployments', () => {
  const composed = Object.values(readCompose(sampleEnv()).services)
    .filter(({ image }) => image.startsWith('pombo:'))
    .map(({ command = [] }) => command)

  test('cover all roles', async (t) => {
    const manifests = (await render(t, EXAMPLE)) ?? []
    const deployed = podsOf(manifests).flatMap(({ containers }) => containers.map(({ args = [] }) => args))
    for (const commands of manifests.length > 0 ? [composed, deployed] : [composed]) {
      const roles = new Set(commands.filter(([name]) => name === 'serve').flatMap((args) => rolesIn(args)))
      assert.deepEqual([...roles].toSorted(), [...ROLES].toSorted())
    }
  })

  test('use existing commands and options', async (t) => {
    const manifests = (await render(t, EXAMPLE)) ?? []
    const deployed = podsOf(manifests).flatMap(({ containers }) => containers.map(({ args = [] }) => args))
    const helps = new Map<string, string>()
    for (const [name = '', ...args] of [...composed, ...deployed]) {
      if (!helps.has(name)) {
        const { code, out } = await runPombo([name, '--help'])
        assert.equal(code, 0, name)
        helps.set(name, out)
      }
      for (const option of args.filter((arg) => arg.startsWith('--'))) {
        assert.ok(helps.get(name)?.includes(option), `pombo ${name} has no ${option}`)
      }
    }
    assert.deepEqual([...helps.keys()].toSorted(), ['migrate', 'serve', 'simulator'])
  })
})

/** Values for the placeholders, as an operator would fill them in. */
const SECRETS = {
  POMBO_JWT_SECRET: 'a'.repeat(64),
  POMBO_MASTER_KEY: 'b'.repeat(64),
  POMBO_SIMULATOR_SECRET: 'c'.repeat(64),
  POMBO_NATS_URL: 'nats://pombo:secret@nats.nats.svc:4222',
  POMBO_REDIS_URL: 'redis://:secret@redis-master.redis.svc:6379',
  POMBO_POSTGRES_URL: 'postgres://pombo_app:secret@pombo-rw.postgres.svc:5432/pombo?sslmode=require',
  POMBO_POSTGRES_OWNER_URL: 'postgres://pombo_owner:secret@pombo-rw.postgres.svc:5432/pombo?sslmode=require',
}

/** The settings of a pod that are not secret. */
function literalsOf(manifests: Parameters<typeof ofKind>[0]): Record<string, string> {
  const maps = ofKind<IConfigMap & ISecret>(manifests, 'ConfigMap')
  return Object.assign({}, ...maps.map(({ data = {} }) => ('POMBO_PROFILE' in data ? data : {})))
}

const envOf = ({ environment = {} }: Service): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, String(value)]))

const rolesIn = (args: readonly string[]): Role[] =>
  (args[args.indexOf('--roles') + 1] ?? '').split(',').map((role) => role as Role)

const isAbout =
  (name: string) =>
  (error: unknown): boolean =>
    error instanceof ConfigError && error.problems.length === 1 && (error.problems[0] ?? '').startsWith(name)
