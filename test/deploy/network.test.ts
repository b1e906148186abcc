import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { addressGuard } from '../../src/providers/address-guard.ts'
import { parseYaml, textOf } from './files.ts'
import { render } from './kubectl.ts'
import { type Manifest, problemsIn } from './manifest.ts'
import { type End, type Network, networkOf } from './network.ts'

const EXAMPLE = 'deploy/kubernetes/overlays/example'

async function openNetwork(t: TestContext): Promise<Network | undefined> {
  const manifests = await render(t, EXAMPLE)
  return manifests && networkOf(manifests)
}

const address = (text: string): End => ({ kind: 'address', address: text })
const elsewhere = (namespace: string, labels = {}): End => ({ kind: 'elsewhere', namespace, labels })
const named = (name: string) => ({ 'app.kubernetes.io/name': name })

/** Somewhere on the internet. */
const OUTSIDE = ['52.94.5.10', '8.8.8.8', '2a05:d018::1', '64:ff9b::808:808']
const PRIVATE = ['10.96.0.1', '172.20.0.5', '192.168.1.10', '100.64.0.9', 'fd00::1', 'fe80::1', '64:ff9b::a00:1']
const METADATA = ['169.254.169.254', '168.63.129.16', 'fd00:ec2::254']
const DATABASE = elsewhere('postgres', { 'cnpg.io/cluster': 'pombo' })
const REDIS = elsewhere('redis', named('redis'))
const NATS = elsewhere('nats', named('nats'))
const DNS = elsewhere('kube-system', { 'k8s-app': 'kube-dns' })

/** What each pod connects to outside, by port. */
const PURPOSES: readonly (readonly [string, string, readonly number[]])[] = [
  ['worker', 'providers with an HTTPS API', [443]],
  ['worker', 'mail servers', [25, 465, 587]],
  ['worker', 'SMPP carriers', [2775, 3550]],
  ['worker', 'webhooks of customers on any port', [80, 443, 3000, 8080, 8443, 65_535]],
  ['api', 'the certificates and the subscriptions of SNS', [443]],
  ['api', 'a JWKS and identity providers', [443]],
]

describe('the network policies', () => {
  for (const [pod, what, ports] of PURPOSES) {
    test(`let the ${pod} reach ${what}`, async (t) => {
      const network = await openNetwork(t)
      if (network === undefined) return
      for (const [where, port] of pairs(OUTSIDE, ports)) {
        assert.ok(network.allowsOut(network.pod(pod), address(where), { port }), `${where} ${port}`)
      }
    })
  }

  test('let every role reach DNS, NATS, PostgreSQL and Redis, each on its port only', async (t) => {
    const network = await openNetwork(t)
    if (network === undefined) return
    for (const name of ['api', 'worker', 'projector', 'migrate']) {
      const pod = network.pod(name)
      assert.ok(network.allowsOut(pod, DNS, { port: 53, protocol: 'UDP' }))
      assert.ok(network.allowsOut(pod, DNS, { port: 53 }))
      for (const [store, port] of [
        [NATS, 4222],
        [DATABASE, 5432],
        [REDIS, 6379],
      ] as const) {
        assert.ok(network.allowsOut(pod, store, { port }), name)
        assert.equal(network.allowsOut(pod, store, { port: 8222 }), false, name)
      }
      assert.equal(network.allowsOut(pod, elsewhere('postgres', { 'cnpg.io/cluster': 'other' }), { port: 5432 }), false)
    }
  })

  test('let no pod reach private addresses, cloud metadata or other pods of the cluster', async (t) => {
    const network = await openNetwork(t)
    if (network === undefined) return
    for (const name of ['api', 'worker', 'projector', 'migrate', 'pombo-simulator']) {
      const pod = network.pod(name)
      for (const [where, port] of pairs([...PRIVATE, ...METADATA], [25, 80, 443, 587, 6443, 8443])) {
        assert.equal(network.allowsOut(pod, address(where), { port }), false, `${name} to ${where} ${port}`)
      }
      for (const port of [80, 443])
        assert.equal(network.allowsOut(pod, elsewhere('shop', named('shop')), { port }), false)
    }
  })

  test('let nothing outside be reached by pods that have no purpose there, or on other ports', async (t) => {
    const network = await openNetwork(t)
    if (network === undefined) return
    const refused = (name: string, ports: readonly number[]): void => {
      for (const [where, port] of pairs(OUTSIDE, ports)) {
        assert.equal(network.allowsOut(network.pod(name), address(where), { port }), false, `${name}: ${where} ${port}`)
      }
    }
    for (const name of ['projector', 'migrate', 'pombo-simulator']) refused(name, [25, 53, 80, 443, 587, 4222, 5432])
    refused('api', [25, 80, 465, 587, 2775, 3550, 8443])
    const worker = network.pod('worker')
    assert.equal(network.allowsOut(worker, address('8.8.8.8'), { port: 53, protocol: 'UDP' }), false)
  })

  test('let webhooks reach exactly the addresses that Pombo itself would call', async (t) => {
    const network = await openNetwork(t)
    if (network === undefined) return
    const guard = addressGuard([])
    const blocks = [textOf('src/providers/address-guard.ts'), textOf('deploy/kubernetes/base/networkpolicy.yaml')]
    const networks = new Set(blocks.flatMap((text) => text.match(/[0-9a-f.:]*[.:][0-9a-f.:]*\/\d+/g) ?? []))
    assert.ok(networks.size > 30)
    for (const where of [...networks].flatMap(edgesOf).flatMap(alsoMapped)) {
      const url = where.includes(':') ? `http://[${where}]:8443/` : `http://${where}:8443/`
      const isCalled = guard.refusalOf(url) === undefined
      assert.equal(network.allowsOut(network.pod('worker'), address(where), { port: 8443 }), isCalled, where)
    }
  })

  test('let the ingress reach the API and no other role, and Prometheus every role', async (t) => {
    const network = await openNetwork(t)
    if (network === undefined) return
    for (const name of ['api', 'worker', 'projector']) {
      const pod = network.pod(name)
      const ingress = elsewhere('ingress-nginx', named('ingress-nginx'))
      assert.equal(network.allowsIn(pod, ingress, { port: 8080 }), name === 'api', name)
      assert.ok(network.allowsIn(pod, elsewhere('monitoring', named('prometheus')), { port: 8080 }), name)
      assert.equal(network.allowsIn(pod, elsewhere('shop', named('shop')), { port: 8080 }), false, name)
      assert.equal(network.allowsIn(pod, address('52.94.5.10'), { port: 8080 }), false, name)
    }
  })

  test('let the simulator and the gateway reach each other, and the simulator nothing else', async (t) => {
    const network = await openNetwork(t)
    if (network === undefined) return
    const [simulator, api, worker] = ['pombo-simulator', 'api', 'worker'].map(network.pod)
    assert.ok(simulator !== undefined && api !== undefined && worker !== undefined)
    for (const pod of [api, worker]) {
      assert.ok(network.allowsOut(pod, { kind: 'pod', pod: simulator }, { port: 8090 }))
      assert.ok(network.allowsIn(simulator, { kind: 'pod', pod }, { port: 8090 }))
    }
    assert.ok(network.allowsOut(simulator, { kind: 'pod', pod: api }, { port: 8080 }))
    assert.ok(network.allowsIn(api, { kind: 'pod', pod: simulator }, { port: 8080 }))
    assert.equal(network.allowsOut(simulator, { kind: 'pod', pod: worker }, { port: 8080 }), false)
    for (const store of [NATS, DATABASE, REDIS])
      assert.equal(network.allowsOut(simulator, store, { port: 4222 }), false)
  })

  test('deny everything to a pod that no other policy selects', async (t) => {
    const manifests = await render(t, EXAMPLE)
    if (manifests === undefined) return
    const network = networkOf(manifests.filter(({ kind, metadata }) => isPod(kind) || metadata.name === 'pombo-deny'))
    for (const name of ['api', 'worker', 'projector', 'migrate']) {
      const pod = network.pod(name)
      assert.equal(network.allowsOut(pod, DNS, { port: 53 }), false, name)
      assert.equal(network.allowsIn(pod, elsewhere('monitoring'), { port: 8080 }), false, name)
    }
  })

  test('let workers reach providers, and nothing else outside, without the policy of webhooks', async (t) => {
    const manifests = await render(t, EXAMPLE)
    if (manifests === undefined) return
    const network = networkOf(manifests.filter(({ metadata }) => metadata.name !== 'pombo-webhooks'))
    const isReached = (port: number) => network.allowsOut(network.pod('worker'), address('52.94.5.10'), { port })
    assert.deepEqual([25, 443, 465, 587, 2775, 3550].filter(isReached), [25, 443, 465, 587, 2775, 3550])
    assert.deepEqual([22, 53, 80, 3000, 8443].filter(isReached), [])
  })
})

describe('the network policy in the documentation', () => {
  test('is valid, and opens what it says for workers only', async (t) => {
    const manifests = await render(t, EXAMPLE)
    if (manifests === undefined) return
    const [, indent = '', text = ''] = /^( *)```yaml\n(.*?)^ *```$/ms.exec(textOf('docs/operations.md')) ?? []
    const [policy] = parseYaml(text.replaceAll(new RegExp(`^${indent}`, 'gm'), '')) as [Manifest]
    assert.deepEqual(problemsIn(policy), [])
    const network = networkOf([...manifests, policy])
    const isReached = (name: string, port: number) =>
      network.allowsOut(network.pod(name), address('10.20.0.25'), { port })
    assert.deepEqual([isReached('worker', 587), isReached('worker', 25), isReached('api', 587)], [true, false, false])
  })
})

const isPod = (kind: string): boolean => kind === 'Deployment' || kind === 'Job'

const pairs = <One, Other>(ones: readonly One[], others: readonly Other[]): (readonly [One, Other])[] =>
  ones.flatMap((one) => others.map((other) => [one, other] as const))

/** As an IPv6-only host reaches it. */
const alsoMapped = (address: string): readonly string[] =>
  address.includes(':') ? [address] : [address, `64:ff9b::${address}`]

/** The first and the last address of a network, and those beside them. */
function edgesOf(network: string): string[] {
  const [text = '', prefix] = network.split('/')
  const bits = text.includes(':') ? 128n : 32n
  const first = toNumber(text)
  const size = 1n << (bits - BigInt(Number(prefix)))
  return [first - 1n, first, first + size - 1n, first + size]
    .filter((number) => number >= 0n && number < 1n << bits)
    .map((number) => toAddress(number, bits))
}

function toNumber(text: string): bigint {
  if (!text.includes(':')) return text.split('.').reduce((sum, part) => (sum << 8n) + BigInt(part), 0n)
  const host = new URL(`http://[${text}]`).hostname.slice(1, -1)
  const [head = '', tail] = host.split('::').map((half) => half.split(':').filter((part) => part !== ''))
  const parts = [...head, ...Array.from({ length: 8 - head.length - (tail?.length ?? 0) }, () => '0'), ...(tail ?? [])]
  return parts.reduce((sum, part) => (sum << 16n) + BigInt(`0x${part}`), 0n)
}

function toAddress(number: bigint, bits: bigint): string {
  const [size, radix, separator] = bits === 32n ? [8n, 10, '.'] : [16n, 16, ':']
  const parts: string[] = []
  for (let at = bits - size; at >= 0n; at -= size) parts.push(((number >> at) & ((1n << size) - 1n)).toString(radix))
  return parts.join(separator)
}
