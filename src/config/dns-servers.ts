/** The DNS servers of `POMBO_DNS_SERVERS`. */
import { isIP, isIPv4, isIPv6 } from 'node:net'

const WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+)):(\d{1,5})$/

/** IP addresses, each with a port if it is not 53. Undefined if any of them is invalid, or if there is none. */
export function parseDnsServers(text: string): readonly string[] | undefined {
  const servers = text.split(',').map((server) => server.trim())
  return servers.every(isServer) ? servers : undefined
}

function isServer(text: string): boolean {
  if (isIP(text) !== 0) return true
  const [, bracketed, plain, port] = WITH_PORT.exec(text) ?? []
  const isAddress = bracketed === undefined ? isIPv4(plain ?? '') : isIPv6(bracketed)
  return isAddress && Number(port) > 0 && Number(port) <= 65_535
}

/** Empty for the servers of the system. */
export const dnsServersOf = ({ dnsServers }: Readonly<{ dnsServers?: string }>): readonly string[] =>
  dnsServers === undefined ? [] : (parseDnsServers(dnsServers) ?? [])
