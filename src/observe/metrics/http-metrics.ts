/** HTTP requests, by the route and never by the path: paths contain ids. Event streams are left out, as they do not end. */
import type { Registry } from 'prom-client'
import { CALLS } from './buckets.ts'
import { durations } from './durations.ts'
import { tally } from './tally.ts'

/** A request was answered; the route of an unknown path is empty. */
export type ObserveRequest = (method: string, route: string, status: number, seconds: number) => void

export function httpMetrics(registers: Registry[]): ObserveRequest {
  const count = tally(registers, 'pombo_http_requests_total', 'Requests answered', ['method', 'route', 'status'])
  const duration = durations(registers, {
    name: 'pombo_http_request_duration_seconds',
    help: 'From the headers of a request until its answer is sent',
    buckets: CALLS,
    labelNames: ['method', 'route'],
  })
  return (method, route, status, seconds) => {
    count(method, route, String(status))
    duration(method, route)(seconds)
  }
}
