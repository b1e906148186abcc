/** IP networks in CIDR notation. */
import { BlockList, isIP } from 'node:net'

const NETWORK = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i
const BITS = { ipv4: 32, ipv6: 128 } as const

/** An address or address/prefix, as address/prefix. Undefined if it is neither. */
export function parseNetwork(text: string): string | undefined {
  const [, address = '', prefix] = NETWORK.exec(text) ?? []
  const family = familyOf(address)
  if (family === undefined || Number(prefix ?? 0) > BITS[family]) return undefined
  return `${address}/${prefix ?? BITS[family]}`
}

/** Comma-separated networks. Undefined if any of them is invalid. */
export function parseNetworks(text: string): readonly string[] | undefined {
  const parts = text.split(',').map((part) => part.trim())
  const networks = parts.filter((part) => part !== '').map(parseNetwork)
  return networks.every((network) => network !== undefined) ? networks : undefined
}

/** Whether an address is in one of the networks, which `parseNetwork` has returned; no network contains other texts. */
export function containedIn(networks: readonly string[]): (address: string) => boolean {
  const list = toBlockList(networks)
  return (address) => {
    const family = familyOf(address)
    return family !== undefined && list.check(address, family)
  }
}

/** Whether a network lies within one of these; all are as `parseNetwork` returns them. */
export function networkWithin(networks: readonly string[]): (network: string) => boolean {
  const wider = networks.map((network) => ({ ...partsOf(network), contains: containedIn([network]) }))
  return (network) => {
    const { address, prefix, family } = partsOf(network)
    return wider.some((one) => one.family === family && one.prefix <= prefix && one.contains(address))
  }
}

function partsOf(network: string) {
  const [address = '', prefix] = network.split('/')
  return { address, prefix: Number(prefix), family: familyOf(address) }
}

function toBlockList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const { address, prefix, family } = partsOf(network)
    list.addSubnet(address, prefix, family)
  }
  return list
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  const version = isIP(address)
  if (version === 0) return undefined
  return version === 4 ? 'ipv4' : 'ipv6'
}
