/**
 * Decides as a cluster does whether its network policies allow a connection: a pod that no policy selects is open, and
 * otherwise one rule that matches is enough.
 */
import type {
  INetworkPolicy,
  INetworkPolicyPeer as IPeer,
  INetworkPolicyPort as IPort,
} from 'kubernetes-models/networking.k8s.io/v1'
import { containedIn, networkWithin } from '../../src/lib/networks.ts'
import type { Manifest } from './manifest.ts'
import { type Labels, matches, ofKind, type Pod, podsOf, type Selector } from './pods.ts'

/** One end of a connection. A pod of another namespace is known by its labels. */
export type End =
  | Readonly<{ kind: 'pod'; pod: Pod }>
  | Readonly<{ kind: 'elsewhere'; namespace: string; labels?: Labels }>
  | Readonly<{ kind: 'address'; address: string }>

/** UDP only where it is named. */
export type Port = Readonly<{ port: number; protocol?: 'UDP' }>

export type Network = Readonly<{
  /** A pod of the deployment, by its component or its name. */
  pod: (name: string) => Pod
  allowsOut: (from: Pod, to: End, port: Port) => boolean
  allowsIn: (to: Pod, from: End, port: Port) => boolean
}>

export function networkOf(manifests: readonly Manifest[]): Network {
  const pods = podsOf(manifests)
  const policies = ofKind<INetworkPolicy>(manifests, 'NetworkPolicy')
  const of = (pod: Pod, type: 'Ingress' | 'Egress') =>
    policies.flatMap(({ spec }) =>
      spec?.policyTypes?.includes(type) && matches((spec.podSelector ?? {}) as Selector, pod.labels) ? [spec] : [],
    )
  return {
    pod(name) {
      const found = pods.find(({ owner, component }) => component === name || owner.endsWith(` ${name}`))
      if (found === undefined) throw new Error(`there is no pod ${name}`)
      return found
    },

    allowsOut(from, to, port) {
      const specs = of(from, 'Egress')
      const rules = specs.flatMap(({ egress = [] }) => egress)
      return specs.length === 0 || rules.some((rule) => isPeer(rule.to, to) && isPort(rule.ports, port, to))
    },

    allowsIn(to, from, port) {
      const specs = of(to, 'Ingress')
      const rules = specs.flatMap(({ ingress = [] }) => ingress)
      const here: End = { kind: 'pod', pod: to }
      return specs.length === 0 || rules.some((rule) => isPeer(rule.from, from) && isPort(rule.ports, port, here))
    },
  }
}

const isPeer = (peers: readonly IPeer[] | undefined, end: End): boolean =>
  peers === undefined || peers.some((peer) => isThisPeer(peer, end))

/** Addresses of pods are not in any block, because clusters disagree about them. */
function isThisPeer({ ipBlock, namespaceSelector, podSelector }: IPeer, end: End): boolean {
  switch (end.kind) {
    case 'address':
      return ipBlock !== undefined && isInBlock(ipBlock, end.address)
    case 'pod':
      return (
        podSelector !== undefined && namespaceSelector === undefined && matches(podSelector as Selector, end.pod.labels)
      )
    case 'elsewhere':
      return (
        namespaceSelector !== undefined &&
        matches(namespaceSelector as Selector, { 'kubernetes.io/metadata.name': end.namespace }) &&
        matches((podSelector ?? {}) as Selector, end.labels ?? {})
      )
  }
}

function isInBlock({ cidr, except = [] }: NonNullable<IPeer['ipBlock']>, address: string): boolean {
  const isWithin = networkWithin([cidr])
  // The API server refuses such a policy.
  for (const network of except) if (!isWithin(network)) throw new Error(`${network} is not in ${cidr}`)
  return containedIn([cidr])(address) && !containedIn(except)(address)
}

const isPort = (ports: readonly IPort[] | undefined, wanted: Port, at: End): boolean =>
  ports === undefined || ports.some((port) => isThisPort(port, wanted, at))

function isThisPort({ protocol = 'TCP', port, endPort }: IPort, wanted: Port, at: End): boolean {
  if (protocol !== (wanted.protocol ?? 'TCP')) return false
  const first = typeof port === 'string' ? numberOf(port, at) : port
  return first === undefined ? port === undefined : first <= wanted.port && wanted.port <= (endPort ?? first)
}

/** A port has a name in its pod only. */
const numberOf = (name: string, at: End): number | undefined =>
  at.kind === 'pod'
    ? at.pod.containers.flatMap(({ ports = [] }) => ports).find((port) => port.name === name)?.containerPort
    : undefined
