/**
 * Keeps calls to addresses that customers name out of our own network. What is checked is the address that a
 * connection is made to, at the moment it is made: a name that means something else by then gains nothing.
 */
import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

export type AddressGuard = Readonly<{
  /** Why an address of a customer is not called whatever its name means; undefined when that has still to be seen. */
  refusalOf: (address: string) => string | undefined
  /** For connections: resolves a name, and leaves out what must not be called. */
  lookup: LookupFunction
}>

/** Resolves a name to all its addresses. */
export type Resolve = (
  name: string,
  options: Readonly<{ all: true }>,
  callback: (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void,
) => void

/** What is given out to the public: everything of IPv4, the unicast space of IPv6, and IPv4 as NAT64 writes it. */
const PUBLIC = toList(['0.0.0.0/0', '2000::/3', '64:ff9b::/96'])

/** What of it is not: by the registries of special addresses, and the one at which Azure serves its own machines. */
const SPECIAL_IPV4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32'],
]
/** Teredo and others of the protocols, documentation, 6to4: none of them is where anybody serves. */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']
const SPECIAL = toList([...SPECIAL_IPV4, ...SPECIAL_IPV4.map(toNat64), ...SPECIAL_IPV6])

/** `allowed` are the networks that may be called though they are not public, as `parseNetworks` gives them. */
export function addressGuard(allowed: readonly string[], resolve: Resolve = systemLookup): AddressGuard {
  const exceptions = toList(allowed)
  const mayCall = (address: string): boolean => {
    const family = familyOf(address)
    if (family === undefined) return false
    return exceptions.check(address, family) || (PUBLIC.check(address, family) && !SPECIAL.check(address, family))
  }
  return {
    refusalOf: (address) => refusalOf(address, mayCall),
    lookup(name, options, callback) {
      resolve(name, { ...options, all: true }, (error, found) => {
        if (error !== null) return callback(error, '')
        const addresses = found.filter(({ address }) => mayCall(address))
        const [first] = addresses
        if (first === undefined) callback(new AddressRefused('no address of this name may be called'), '')
        else if (options.all === true) callback(null, addresses)
        else callback(null, first.address, first.family)
      })
    },
  }
}

/** Recognised by providers/http.ts. */
class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
  readonly code = 'ADDRESS_REFUSED'
}

/** A connection to a literal address asks for no name, so it is looked at here. The parser has brought it into one form. */
function refusalOf(address: string, mayCall: (address: string) => boolean): string | undefined {
  const url = URL.parse(address)
  if (url === null) return 'it is not an address'
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'only https and http are called'
  if (url.username !== '' || url.password !== '') return 'an address with credentials is not called'
  if (url.port === '0') return 'nobody listens on port 0'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 0 || mayCall(host) ? undefined : 'the address is not one of the public network'
}

const NETWORK = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i
const BITS = { ipv4: 32, ipv6: 128 } as const

/** Networks with commas between them, each as address/prefix; an address alone is one of its own. Undefined: some is none. */
export function parseNetworks(text: string): readonly string[] | undefined {
  const networks: string[] = []
  for (const part of text.split(',').map((part) => part.trim())) {
    if (part === '') continue
    const [, address = '', prefix] = NETWORK.exec(part) ?? []
    const family = familyOf(address)
    if (family === undefined || Number(prefix ?? 0) > BITS[family]) return undefined
    networks.push(`${address}/${prefix ?? BITS[family]}`)
  }
  return networks
}

function toList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    list.addSubnet(address, Number(prefix), familyOf(address))
  }
  return list
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  const version = isIP(address)
  if (version === 0) return undefined
  return version === 4 ? 'ipv4' : 'ipv6'
}

/** An IPv4 network as hosts see it that have IPv6 alone. */
function toNat64(network: string): string {
  const [address, prefix] = network.split('/')
  return `64:ff9b::${address}/${96 + Number(prefix)}`
}
