/** Checks that selectors match pods and that ports exist. Returns one sentence per problem. */
import type { IDeployment } from 'kubernetes-models/apps/v1'
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2'
import type { IIngress, INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1'
import type { IService } from 'kubernetes-models/v1'
import type { Manifest } from './manifest.ts'
import { hasPort, matches, ofKind, type Pod, podsOf, type Selector } from './pods.ts'

export const lostSelectors = (manifests: readonly Manifest[]): string[] => {
  const pods = podsOf(manifests)
  return [
    ...deployments(manifests),
    ...spread(pods),
    ...services(manifests, pods),
    ...ingresses(manifests),
    ...budgets(manifests, pods),
    ...autoscalers(manifests),
    ...policies(manifests, pods),
  ]
}

const unmatched = (who: string, selector: Selector, pods: readonly Pod[]): string[] =>
  pods.some(({ labels }) => matches(selector, labels)) ? [] : [`${who} chooses no pod: ${JSON.stringify(selector)}`]

const deployments = (manifests: readonly Manifest[]): string[] =>
  ofKind<IDeployment>(manifests, 'Deployment').flatMap(({ metadata, spec }) => {
    const labels = spec?.template.metadata?.labels ?? {}
    return spec !== undefined && matches(spec.selector, labels)
      ? []
      : [`Deployment ${metadata.name} does not choose its own pods`]
  })

const spread = (pods: readonly Pod[]): string[] =>
  pods.flatMap((pod) =>
    (pod.spec.topologySpreadConstraints ?? []).flatMap(({ labelSelector = {} }) =>
      unmatched(`the spread of ${pod.owner}`, labelSelector, [pod]),
    ),
  )

const services = (manifests: readonly Manifest[], pods: readonly Pod[]): string[] =>
  ofKind<IService>(manifests, 'Service').flatMap(({ metadata, spec }) => {
    const selector = { matchLabels: spec?.selector ?? {} }
    const chosen = pods.filter(({ labels }) => matches(selector, labels))
    return [
      ...unmatched(`Service ${metadata.name}`, selector, pods),
      ...(spec?.ports ?? [])
        .filter(({ port, targetPort }) => !chosen.every((pod) => hasPort(pod, targetPort ?? port)))
        .map(({ targetPort }) => `Service ${metadata.name} leads to port ${targetPort}, which its pods lack`),
    ]
  })

const ingresses = (manifests: readonly Manifest[]): string[] => {
  const served = ofKind<IService>(manifests, 'Service').flatMap(({ metadata, spec }) =>
    (spec?.ports ?? []).flatMap(({ name, port }) => [`${metadata.name} ${name}`, `${metadata.name} ${port}`]),
  )
  return ofKind<IIngress>(manifests, 'Ingress').flatMap(({ metadata, spec }) =>
    (spec?.rules ?? [])
      .flatMap(({ http }) => http?.paths ?? [])
      .map(({ backend: { service } }) => `${service?.name} ${service?.port?.name ?? service?.port?.number}`)
      .filter((backend) => !served.includes(backend))
      .map((backend) => `Ingress ${metadata.name} leads to ${backend}, which no Service has`),
  )
}

const budgets = (manifests: readonly Manifest[], pods: readonly Pod[]): string[] =>
  ofKind<IPodDisruptionBudget>(manifests, 'PodDisruptionBudget').flatMap(({ metadata, spec }) =>
    unmatched(`PodDisruptionBudget ${metadata.name}`, spec?.selector ?? {}, pods),
  )

/** KEDA's ScaledObject has the same target field as a HorizontalPodAutoscaler. */
const autoscalers = (manifests: readonly Manifest[]): string[] =>
  ['HorizontalPodAutoscaler', 'ScaledObject']
    .flatMap((kind) => ofKind<IHorizontalPodAutoscaler>(manifests, kind))
    .filter(({ spec }) => {
      const target = spec?.scaleTargetRef
      return !manifests.some(
        ({ apiVersion, kind, metadata }) =>
          kind === target?.kind && metadata.name === target.name && apiVersion === target.apiVersion,
      )
    })
    .map(
      ({ kind, metadata, spec }) => `${kind} ${metadata.name} scales ${spec?.scaleTargetRef.name}, which is not there`,
    )

/** A peer in our namespace must exist and have the port; peers in other namespaces cannot be checked. */
const policies = (manifests: readonly Manifest[], pods: readonly Pod[]): string[] =>
  ofKind<INetworkPolicy>(manifests, 'NetworkPolicy').flatMap(({ metadata, spec }) => {
    const who = `NetworkPolicy ${metadata.name}`
    const selected = pods.filter(({ labels }) => matches(spec?.podSelector ?? {}, labels))
    const near = (peers: readonly { podSelector?: Selector; namespaceSelector?: unknown }[] = []): Selector[] =>
      peers.flatMap(({ podSelector, namespaceSelector }) =>
        podSelector !== undefined && namespaceSelector === undefined ? [podSelector] : [],
      )
    const lacks = (ports: readonly { port?: string | number }[] = [], targets: readonly Pod[]): (string | number)[] =>
      ports.flatMap(({ port = '' }) => (targets.some((pod) => hasPort(pod, port)) ? [] : [port]))
    return [
      ...unmatched(who, spec?.podSelector ?? {}, pods),
      ...(spec?.ingress ?? []).flatMap(({ from, ports }) => [
        ...near(from).flatMap((peer) => unmatched(`${who}, from,`, peer, pods)),
        ...lacks(ports, selected).map((port) => `${who} lets in at port ${port}, which its pods lack`),
      ]),
      ...(spec?.egress ?? []).flatMap(({ to, ports }) =>
        near(to).flatMap((peer) => [
          ...unmatched(`${who}, to,`, peer, pods),
          ...lacks(
            ports,
            pods.filter(({ labels }) => matches(peer, labels)),
          ).map((port) => `${who} lets out to port ${port}, which those pods lack`),
        ]),
      ),
    ]
  })
