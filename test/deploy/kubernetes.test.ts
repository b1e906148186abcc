import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { skipUnavailable } from '../support/skip.ts'
import { findSchemas } from '../support/tools.ts'
import { textOf, yamlFiles, yamlIn } from './files.ts'
import { hardeningProblems } from './hardening.ts'
import { render } from './kubectl.ts'
import { type Manifest, problemsIn } from './manifest.ts'
import { ofKind, podsOf } from './pods.ts'
import { lostReferences } from './references.ts'
import { lostSelectors } from './selectors.ts'

const KUBERNETES = 'deploy/kubernetes'
const BASE = `${KUBERNETES}/base`
const EXAMPLE = `${KUBERNETES}/overlays/example`
const KEDA = 'test/deploy/keda'
const PROMETHEUS = 'test/deploy/prometheus-operator'
const LISTENERS = 'test/deploy/listeners'
const LACK = 'the schemas of the operators are not installed'

const problemsOf = (manifests: readonly Manifest[]): string[] => manifests.flatMap(problemsIn)

describe('the Kubernetes files', () => {
  test('are valid YAML without duplicate keys', () => {
    for (const path of yamlFiles()) assert.doesNotThrow(() => yamlIn(path), path)
  })

  test('are each a valid manifest', (t) => {
    if (findSchemas() === undefined) return skipUnavailable(t, LACK)
    const paths = yamlFiles().filter(
      (path) => path.startsWith(KUBERNETES) && !/kustomization|patch-|\.example\.yaml/.test(path),
    )
    paths.push('deploy/postgres/cluster.example.yaml')
    assert.ok(paths.length > 10)
    assert.deepEqual(
      paths.flatMap((path) => problemsOf(yamlIn(path) as Manifest[])),
      [],
    )
  })
})

for (const folder of [BASE, EXAMPLE, KEDA, PROMETHEUS, LISTENERS]) {
  describe(`what ${folder} renders`, () => {
    test('is valid', async (t) => {
      if (findSchemas() === undefined) return skipUnavailable(t, LACK)
      assert.deepEqual(problemsOf((await render(t, folder)) ?? []), [])
    })

    test('selects existing pods and ports', async (t) => {
      assert.deepEqual(lostSelectors((await render(t, folder)) ?? []), [])
    })

    test('gives pods minimal rights', async (t) => {
      assert.deepEqual(hardeningProblems((await render(t, folder)) ?? []), [])
    })

    test('runs one image of this version', async (t) => {
      const manifests = await render(t, folder)
      if (manifests === undefined) return
      const images = new Set(podsOf(manifests).flatMap(({ containers }) => containers.map(({ image }) => image)))
      const { version } = JSON.parse(textOf('package.json')) as { version: string }
      assert.equal(images.size, 1)
      assert.ok([...images].join().endsWith(`pombo:${version}`), [...images].join())
    })
  })
}

describe('what the example renders', () => {
  test('refers only to existing settings, secrets and volumes', async (t) => {
    assert.deepEqual(lostReferences((await render(t, EXAMPLE)) ?? []), [])
  })

  test('is refused with any of these mistakes', async (t) => {
    const manifests = await render(t, EXAMPLE)
    if (manifests === undefined) return
    for (const [name, from, to, problem] of MISTAKES) {
      const wrong = changed(manifests, name, from, to)
      const problems = [
        ...problemsOf(wrong),
        ...lostSelectors(wrong),
        ...lostReferences(wrong),
        ...hardeningProblems(wrong),
      ]
      assert.match(problems.join('\n'), problem, `${name}: ${from} → ${to}`)
    }
  })

  test('applies the migration before the services, by the selector of the runbook', async (t) => {
    const manifests = await render(t, EXAMPLE)
    if (manifests === undefined) return
    const first = manifests.filter((manifest) => !SERVING.includes(componentOf(manifest)))
    const names = (kind: string): string[] => ofKind(first, kind).map(({ metadata }) => metadata.name)
    assert.deepEqual([names('Job'), names('Deployment')], [['pombo-migrate'], ['pombo-simulator']])
    assert.deepEqual(lostReferences(first), [])
    assert.ok(textOf('docs/operations.md').includes(`'app.kubernetes.io/component notin (${SERVING.join(',')})'`))
  })
})

const SERVING = ['api', 'worker', 'projector']
const componentOf = ({ metadata }: Manifest): string =>
  (metadata as { labels?: Record<string, string> }).labels?.['app.kubernetes.io/component'] ?? ''

/** The manifest, the JSON text to replace, its replacement, and the expected problem. */
const MISTAKES: readonly (readonly [string, string, string, RegExp])[] = [
  ['Deployment pombo-api', '"readinessProbe"', '"readinesProbe"', /no field .*readinesProbe/],
  ['Deployment pombo-api', '"containerPort":8080', '"containerPort":"8080"', /containerPort/],
  ['Deployment pombo-api', '"port":"http"', '"port":"https"', /asked for its health at port https/],
  ['Deployment pombo-api', '"mountPath":"/tmp","name":"tmp"', '"mountPath":"/tmp","name":"tnp"', /mounts tnp/],
  [
    'Deployment pombo-api',
    '"configMapRef":{"name":"pombo-',
    '"configMapRef":{"name":"pigeon-',
    /from ConfigMap pigeon-/,
  ],
  ['Deployment pombo-api', '"serviceAccountName":"pombo"', '"serviceAccountName":"pigeon"', /runs as pigeon/],
  [
    'Deployment pombo-api',
    '"selector":{"matchLabels":{',
    '"selector":{"matchLabels":{"a":"b",',
    /not choose its own pods/,
  ],
  [
    'Deployment pombo-api',
    '"enableServiceLinks":false',
    '"enableServiceLinks":true',
    /made from the names of Services/,
  ],
  [
    'Deployment pombo-worker',
    '"readOnlyRootFilesystem":true',
    '"readOnlyRootFilesystem":false',
    /may write to its image/,
  ],
  ['Job pombo-migrate', '"key":"POMBO_POSTGRES_OWNER_URL"', '"key":"OWNER_URL"', /from OWNER_URL of Secret/],
  ['Service pombo', '"targetPort":"http"', '"targetPort":"web"', /leads to port web/],
  ['Service pombo', 'component":"api"', 'component":"apu"', /chooses no pod/],
  ['Ingress pombo', '"name":"http"', '"name":"web"', /leads to pombo web/],
  ['HorizontalPodAutoscaler pombo-api', '"name":"pombo-api"', '"name":"pombo-apu"', /scales pombo-apu/],
  ['PodDisruptionBudget pombo-worker', 'component":"worker"', 'component":"walker"', /chooses no pod/],
  ['NetworkPolicy pombo-clients', 'component":"api"', 'component":"apu"', /chooses no pod/],
  ['NetworkPolicy pombo-clients', '"port":"http"', '"port":8443', /lets in at port 8443/],
  ['NetworkPolicy pombo-to-simulator', 'name":"pombo-simulator"', 'name":"pigeon"', /to, chooses no pod/],
  ['NetworkPolicy pombo-to-simulator', '"port":"http"', '"port":8080', /lets out to port 8080/],
]

function changed(manifests: readonly Manifest[], name: string, from: string, to: string): readonly Manifest[] {
  return manifests.map((manifest) => {
    if (`${manifest.kind} ${manifest.metadata.name}` !== name) return manifest
    const { metadata, ...rest } = manifest
    const text = JSON.stringify(rest)
    assert.ok(text.includes(from), `${name} has no ${from}`)
    return { metadata, ...(JSON.parse(text.replaceAll(from, to)) as Omit<Manifest, 'metadata'>) }
  })
}
