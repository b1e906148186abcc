import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { skipUnavailable } from '../support/skip.ts'
import { findSchemas } from '../support/tools.ts'
import { parseYaml, textOf } from './files.ts'
import { type Manifest, problemsIn } from './manifest.ts'

const right = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'one', labels: { any: 'label', is: 'allowed' } },
  spec: {
    selector: { matchLabels: { app: 'one' } },
    template: {
      metadata: { labels: { app: 'one' } },
      spec: {
        containers: [
          {
            name: 'one',
            resources: { limits: { memory: '512Mi' } },
            readinessProbe: { httpGet: { path: '/', port: 'http' } },
            securityContext: { capabilities: { drop: ['ALL'] } },
          },
        ],
        volumes: [{ name: 'tmp', emptyDir: { sizeLimit: '64Mi' } }],
      },
    },
  },
}
type Writable = Record<string, unknown>

/** The valid manifest with the value at `path` changed by `change`. */
function changed(path: string, change: (part: Writable) => void): Manifest {
  const manifest = structuredClone(right)
  const part = path
    .split('/')
    .filter((key) => key !== '')
    .reduce<unknown>((whole, key) => (whole as Writable)[key], manifest)
  change(part as Writable)
  return manifest
}
const renamed = (path: string, from: string, to: string): Manifest =>
  changed(path, (part) => {
    part[to] = part[from]
    delete part[from]
  })

describe('a manifest', () => {
  test('that is valid has no problems', () => assert.deepEqual(problemsIn(right), []))

  const container = 'spec/template/spec/containers/0'
  for (const [path, from, to] of [
    ['spec/template/spec', 'volumes', 'volume'],
    [container, 'readinessProbe', 'readinesProbe'],
    [`${container}/readinessProbe`, 'httpGet', 'httpget'],
    [`${container}/securityContext`, 'capabilities', 'capability'],
    [`${container}/resources`, 'limits', 'limit'],
    ['spec/template/spec/volumes/0/emptyDir', 'sizeLimit', 'sizelimit'],
    ['metadata', 'labels', 'label'],
  ] as const) {
    test(`with ${to} for ${from} is reported`, () => {
      assert.match(problemsIn(renamed(path, from, to)).join(), new RegExp(`no field /${path}/${to}`))
    })
  }

  test('with a field beside spec is reported', () => {
    assert.match(
      problemsIn(changed('', (whole) => Object.assign(whole, { replicas: 2 }))).join(),
      /no field \/replicas/,
    )
  })

  test('of a wrong type is reported', () => {
    const wrong = changed('spec', (spec) => Object.assign(spec, { replicas: 'two' }))
    assert.match(problemsIn(wrong).join(), /replicas/)
  })

  test('without a required field is reported', () => {
    const wrong = changed('spec', (spec) => {
      delete spec['selector']
    })
    assert.match(problemsIn(wrong).join(), /selector/)
  })

  for (const [path, from, to] of [
    ['deploy/kubernetes/components/keda/scaledobject.yaml', 'minReplicaCount', 'minReplicas'],
    ['deploy/postgres/cluster.example.yaml', 'instances', 'instance'],
  ] as const) {
    test(`of an operator with ${to} for ${from} is reported`, (t) => {
      if (findSchemas() === undefined) return skipUnavailable(t, 'the schemas of the operators are not installed')
      const [manifest] = parseYaml(textOf(path).replace(from, to)) as [Manifest]
      assert.match(problemsIn(manifest).join(), new RegExp(`${to}|${from}`))
    })
  }

  test('of an unknown kind is reported', () => {
    assert.match(problemsIn({ ...right, apiVersion: 'apps/v2' }).join(), /no such kind/)
  })
})
