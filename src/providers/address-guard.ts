/**
 * Keeps calls to customers' URLs out of our own network (SSRF). It checks the IP address of every connection when the
 * connection is made, so a host name that resolves differently the second time gains nothing.
 */
import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { containedIn } from '../lib/networks.ts'

export type AddressGuard = Readonly<{
  /** Why a customer's URL is refused whatever its host resolves to; undefined if it is not. */
  refusalOf: (url: string) => string | undefined
  /** Resolves a host name and leaves out addresses that must not be called. */
  lookup: LookupFunction
}>

/** Resolves a host name to all its addresses. */
export type Resolve = (
  name: string,
  options: Readonly<{ all: true }>,
  callback: (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void,
) => void

/** Address space in public use: all of IPv4, the IPv6 unicast space, and IPv4 mapped by NAT64. */
const isPublic = containedIn(['0.0.0.0/0', '2000::/3', '64:ff9b::/96'])

/** Exceptions: the special-purpose registries, and the address at which Azure serves its own machines. */
const SPECIAL_IPV4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32'],
]
/** Teredo and other protocol assignments, documentation, 6to4: nobody serves webhooks there. */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']
const isSpecial = containedIn([...SPECIAL_IPV4, ...SPECIAL_IPV4.map(toNat64), ...SPECIAL_IPV6])

/** `allowed` are private networks that may be called, as `parseNetworks` returns them. */
export function addressGuard(allowed: readonly string[], resolve: Resolve = systemLookup): AddressGuard {
  const isException = containedIn(allowed)
  const mayCall = (address: string): boolean => isException(address) || (isPublic(address) && !isSpecial(address))
  return {
    refusalOf: (url) => refusalOf(url, mayCall),
    lookup(name, options, callback) {
      resolve(name, { ...options, all: true }, (error, found) => {
        if (error !== null) return callback(error, '')
        const addresses = found.filter(({ address }) => mayCall(address))
        const [first] = addresses
        if (first === undefined) callback(new AddressRefused('no address of this host may be called'), '')
        else if (options.all === true) callback(null, addresses)
        else callback(null, first.address, first.family)
      })
    },
  }
}

/** providers/http.ts recognises the code. */
class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
  readonly code = 'ADDRESS_REFUSED'
}

/** A literal IP address is never resolved, so it is checked here. The URL parser has normalised it. */
function refusalOf(text: string, mayCall: (address: string) => boolean): string | undefined {
  const url = URL.parse(text)
  if (url === null) return 'it is not a URL'
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'only https and http are allowed'
  if (url.username !== '' || url.password !== '') return 'a URL with credentials is not allowed'
  if (url.port === '0') return 'port 0 is not allowed'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 0 || mayCall(host) ? undefined : 'the address is not a public IP address'
}

/** An IPv4 network as NAT64 maps it for IPv6-only hosts. */
function toNat64(network: string): string {
  const [address, prefix] = network.split('/')
  return `64:ff9b::${address}/${96 + Number(prefix)}`
}
