/** Checks the references of pods: ConfigMaps and Secrets with their keys, volumes, ports. Returns one sentence per missing target. */
import type { IConfigMap, IContainer, ISecret } from 'kubernetes-models/v1'
import type { Manifest } from './manifest.ts'
import { hasPort, ofKind, type Pod, podsOf } from './pods.ts'

type Sources = ReadonlyMap<string, ReadonlySet<string>>

export function lostReferences(manifests: readonly Manifest[]): string[] {
  const sources: Sources = new Map(
    [...ofKind<IConfigMap>(manifests, 'ConfigMap'), ...ofKind<ISecret>(manifests, 'Secret')].map(
      ({ kind, metadata, data = {} }) => [`${kind} ${metadata.name}`, new Set(Object.keys(data))],
    ),
  )
  return podsOf(manifests).flatMap((pod) =>
    [
      ...pod.containers.flatMap((container) => [
        ...envFrom(container, sources),
        ...env(container, sources),
        ...mounts(container, pod),
        ...probes(container, pod),
      ]),
      ...volumes(pod, manifests),
      ...account(pod, manifests),
    ].map((problem) => `${pod.owner} ${problem}`),
  )
}

const envFrom = ({ envFrom: lists = [] }: IContainer, sources: Sources): string[] =>
  lists
    .map(({ configMapRef, secretRef }) =>
      configMapRef === undefined ? `Secret ${secretRef?.name}` : `ConfigMap ${configMapRef.name}`,
    )
    .filter((source) => !sources.has(source))
    .map((source) => `takes its settings from ${source}, which is not there`)

const env = ({ env: variables = [] }: IContainer, sources: Sources): string[] =>
  variables.flatMap(({ name, valueFrom }) => {
    if (valueFrom === undefined) return []
    const { configMapKeyRef, secretKeyRef } = valueFrom
    const source = configMapKeyRef === undefined ? `Secret ${secretKeyRef?.name}` : `ConfigMap ${configMapKeyRef.name}`
    const key = (configMapKeyRef ?? secretKeyRef)?.key ?? ''
    return sources.get(source)?.has(key) ? [] : [`takes ${name} from ${key} of ${source}, which is not there`]
  })

const mounts = ({ volumeMounts = [] }: IContainer, { spec }: Pod): string[] =>
  volumeMounts
    .filter((mount) => !spec.volumes?.some(({ name }) => name === mount.name))
    .map(({ name }) => `mounts ${name}, which is no volume of it`)

const probes = ({ startupProbe, livenessProbe, readinessProbe }: IContainer, pod: Pod): string[] =>
  [startupProbe, livenessProbe, readinessProbe]
    .map((probe) => probe?.httpGet?.port ?? probe?.tcpSocket?.port)
    .filter((port) => port !== undefined && !hasPort(pod, port))
    .map((port) => `is asked for its health at port ${port}, which it lacks`)

const volumes = ({ spec }: Pod, manifests: readonly Manifest[]): string[] =>
  (spec.volumes ?? [])
    .flatMap(({ configMap, secret, persistentVolumeClaim }) => [
      ...(configMap === undefined ? [] : [`ConfigMap ${configMap.name}`]),
      ...(secret === undefined ? [] : [`Secret ${secret.secretName}`]),
      ...(persistentVolumeClaim === undefined ? [] : [`PersistentVolumeClaim ${persistentVolumeClaim.claimName}`]),
    ])
    .filter((source) => !manifests.some(({ kind, metadata }) => `${kind} ${metadata.name}` === source))
    .map((source) => `has a volume of ${source}, which is not there`)

const account = ({ spec }: Pod, manifests: readonly Manifest[]): string[] =>
  spec.serviceAccountName === undefined ||
  ofKind(manifests, 'ServiceAccount').some(({ metadata }) => metadata.name === spec.serviceAccountName)
    ? []
    : [`runs as ${spec.serviceAccountName}, which is no ServiceAccount`]
