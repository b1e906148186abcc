import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { IDeployment } from 'kubernetes-models/apps/v1'
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2'
import { textOf, yamlIn } from './files.ts'
import { render } from './kubectl.ts'
import { ofKind, type Pod, podsOf } from './pods.ts'

const BASE = 'deploy/kubernetes/base'
const KEDA = 'test/deploy/keda'

async function serving(t: TestContext): Promise<readonly Pod[]> {
  const pods = podsOf((await render(t, BASE)) ?? [])
  return pods.filter(({ owner }) => owner.startsWith('Deployment'))
}

describe('a pod of Pombo', () => {
  test('has 256 to 512 MiB of memory and a tenth to half a core', async (t) => {
    for (const { owner, containers } of await serving(t)) {
      assert.deepEqual(
        containers[0]?.resources,
        { requests: { cpu: '100m', memory: '256Mi' }, limits: { cpu: '500m', memory: '512Mi' } },
        owner,
      )
    }
  })

  test('has liveness and readiness probes in every role', async (t) => {
    for (const { owner, containers } of await serving(t)) {
      const { startupProbe, livenessProbe, readinessProbe } = containers[0] ?? {}
      const paths = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet?.path)
      assert.deepEqual(paths, ['/health/live', '/health/live', '/health/ready'], owner)
    }
  })

  test('has a termination grace period longer than a shutdown may take', async (t) => {
    const [, seconds] = /^POMBO_SHUTDOWN_SECONDS=(\d+)$/m.exec(textOf(`${BASE}/settings.env`)) ?? []
    // The HTTP server has five seconds to close before the work ends.
    const needed = Number(seconds) + 5
    for (const { owner, spec, containers } of await serving(t)) {
      const pause = Number(containers[0]?.lifecycle?.preStop?.exec?.command?.[1] ?? 0)
      assert.ok((spec.terminationGracePeriodSeconds ?? 0) >= pause + needed, owner)
    }
  })

  test('is spread over zones and nodes', async (t) => {
    for (const { owner, spec } of await serving(t)) {
      assert.deepEqual(
        spec.topologySpreadConstraints?.map(({ topologyKey }) => topologyKey),
        ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'],
        owner,
      )
    }
  })
})

describe('the autoscalers', () => {
  async function scaler(t: TestContext, name: string) {
    const scalers = ofKind<IHorizontalPodAutoscaler>((await render(t, BASE)) ?? [], 'HorizontalPodAutoscaler')
    return scalers.find(({ metadata }) => metadata.name === name)?.spec
  }

  test('keep 2 to 10 API pods by CPU and memory, and 2 to 5 workers by the queue', async (t) => {
    const [api, worker] = [await scaler(t, 'pombo-api'), await scaler(t, 'pombo-worker')]
    if (api === undefined || worker === undefined) return
    assert.deepEqual([api.minReplicas, api.maxReplicas], [2, 10])
    assert.deepEqual([worker.minReplicas, worker.maxReplicas], [2, 5])
    assert.equal(api.metrics?.[0]?.resource?.target.averageUtilization, 70)
    assert.equal(api.metrics?.[1]?.resource?.target.averageValue, `${Math.round(0.8 * 512)}Mi`)
    assert.equal(worker.metrics?.[0]?.external?.target.averageValue, '100')
  })

  test('own the number of replicas: their targets set none', async (t) => {
    const deployments = ofKind<IDeployment>((await render(t, BASE)) ?? [], 'Deployment')
    for (const { metadata, spec } of deployments) {
      assert.equal(spec?.replicas, metadata.name === 'pombo-projector' ? 2 : undefined, metadata.name)
    }
  })

  test('use the same existing metric with the adapter and with KEDA', async (t) => {
    type Adapter = { rules: { external: { seriesQuery: string; name: { as: string }; metricsQuery: string }[] } }
    const [adapter] = yamlIn('deploy/kubernetes/prometheus-adapter.example.yaml') as [Adapter]
    const [rule] = adapter.rules.external
    const [series = ''] = /^\w+/.exec(rule?.seriesQuery ?? '') ?? []
    assert.ok(textOf('src/observe/metrics/gauges.ts').includes(`'${series}'`), series)
    const worker = await scaler(t, 'pombo-worker')
    if (worker === undefined) return
    assert.equal(worker.metrics?.[0]?.external?.metric.name, rule?.name.as)

    type Scaled = {
      spec: { minReplicaCount: number; maxReplicaCount: number; triggers: { metadata: { query: string } }[] }
    }
    const keda = (await render(t, KEDA)) ?? []
    const [scaled] = ofKind<Scaled>(keda, 'ScaledObject')
    assert.ok(scaled?.spec.triggers[0]?.metadata.query.includes(`(${series}{state="ready"`))
    assert.deepEqual([scaled?.spec.minReplicaCount, scaled?.spec.maxReplicaCount], [2, 5])
    const left = ofKind(keda, 'HorizontalPodAutoscaler').map(({ metadata }) => metadata.name)
    assert.deepEqual(left, ['pombo-api'], 'KEDA creates its own autoscaler, and two would conflict')
  })
})
