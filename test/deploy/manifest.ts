/**
 * Validates a manifest against the schemas of Kubernetes 1.34, and of operators: KEDA, CloudNativePG, Prometheus. The models
 * check types and required fields; a field that no model reads does not exist, which finds misspelt names.
 */
import { Deployment } from 'kubernetes-models/apps/v1'
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2'
import { Job } from 'kubernetes-models/batch/v1'
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { ConfigMap, Namespace, PersistentVolumeClaim, Secret, Service, ServiceAccount } from 'kubernetes-models/v1'
import { requireTool } from '../support/tools.ts'

export type Manifest = Readonly<{ apiVersion: string; kind: string; metadata: Readonly<{ name: string }> }>

type Model = Readonly<{ apiVersion: string; kind: string }> & (new (data: never) => { validate: () => void })

const MODELS: ReadonlyMap<string, Model> = new Map(
  [
    ConfigMap,
    Deployment,
    HorizontalPodAutoscaler,
    Ingress,
    Job,
    Namespace,
    NetworkPolicy,
    PersistentVolumeClaim,
    PodDisruptionBudget,
    Secret,
    Service,
    ServiceAccount,
  ].map((model) => [`${model.apiVersion} ${model.kind}`, model]),
)

/** Custom resources: the package in test/tools with their models. */
const OPERATORS: Readonly<Record<string, string>> = {
  'keda.sh/v1alpha1 ScaledObject': '@kubernetes-models/keda',
  'postgresql.cnpg.io/v1 Cluster': '@kubernetes-models/cloudnative-pg',
  'monitoring.coreos.com/v1 PodMonitor': '@kubernetes-models/prometheus-operator',
  'monitoring.coreos.com/v1 PrometheusRule': '@kubernetes-models/prometheus-operator',
}

function operatorModel(name: string): Model | undefined {
  const [apiVersion, kind = ''] = name.split(' ')
  return requireTool<Readonly<Record<string, Model>>>(`${OPERATORS[name]}/${apiVersion}/index.js`)?.[kind]
}

/** One sentence per problem. */
export function problemsIn(manifest: Manifest): string[] {
  const called = `${manifest.kind} ${manifest.metadata?.name}`
  const name = `${manifest.apiVersion} ${manifest.kind}`
  const Kind = MODELS.get(name) ?? (name in OPERATORS ? operatorModel(name) : undefined)
  if (Kind === undefined) return [`${called}: ${manifest.apiVersion} has no such kind that we know of`]

  const unread = new Set(pathsIn(manifest, ''))
  const model = watch(new Kind(manifest as never), '', (path) => unread.delete(path))
  try {
    model.validate()
  } catch (error) {
    return [`${called}: ${error instanceof Error ? error.message : error}`]
  }
  return [...unread].map((path) => `${called}: there is no field ${path}`)
}

function pathsIn(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) => [`${path}/${key}`, ...pathsIn(part, `${path}/${key}`)])
}

/** A proxy of the value that records every field that is read. */
function watch<Value extends object>(value: Value, path: string, onRead: (path: string) => void): Value {
  return new Proxy(value, {
    get(target, key) {
      const part: unknown = Reflect.get(target, key)
      const partPath = `${path}/${String(key)}`
      onRead(partPath)
      return typeof part === 'object' && part !== null ? watch(part, partPath, onRead) : part
    },
  })
}
