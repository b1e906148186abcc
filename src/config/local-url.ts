/** Where a gateway of these settings is reached from this machine. */
import type { Config } from './config.ts'

/** One that listens on every address is reached by loopback. */
export function localUrl({ host, port }: Pick<Config, 'host' | 'port'>): string {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}
