/** Texts of the page: providers. */
import { plural } from './plural.ts'

export const PROVIDERS_TEXTS = {
  about: 'The health of your providers. Message counts include only your tenant.',
  empty: 'No providers are configured. Add them to the file in POMBO_CONFIG; without it, Pombo uses the simulator.',
  summary: (unhealthy: number, all: number): string => {
    if (unhealthy > 0) return `${unhealthy} of ${plural(all, 'provider')} unhealthy`
    return all === 1 ? 'The provider is healthy.' : `All ${all} providers are healthy.`
  },
  health: {
    open: {
      label: 'Circuit breaker open',
      reason: 'Messages use the other providers of their route, or wait.',
    },
    paused: { label: 'Paused', reason: 'An operator paused this provider.' },
    halfOpen: {
      label: 'Circuit breaker half-open',
      reason: 'The next message tests this provider. If the call succeeds, the circuit breaker closes.',
    },
    disconnected: { label: 'Disconnected', reason: 'All connections are down.' },
    partlyConnected: { label: 'Partly connected', reason: 'Some connections are down.' },
    failing: { label: 'Failing', reason: (failures: number): string => `The last ${failures} calls failed.` },
    undelivered: {
      label: 'Low delivery rate',
      reason: (share: string): string => `${share} of recently finished messages were not delivered.`,
    },
    noData: { label: 'No data', reason: 'The message index is unavailable, so recent traffic is unknown.' },
    idle: { label: 'Idle', reason: 'No recent messages.' },
    healthy: { label: 'Healthy', reason: 'Calls succeed and messages are delivered.' },
  },
  nothing: '–',
  details: 'Details',
  hour: {
    title: (name: string): string => `The last hour of ${name}`,
    volume: 'Messages, last hour',
    deliveryRate: 'Delivery rate',
    p95: 'Time to handoff, p95',
  },
  facts: {
    title: 'Set-up',
    breaker: 'Circuit breaker',
    connections: 'Connections',
    carries: 'Channels',
    reports: 'Delivery reports',
  },
  breaker: {
    open: 'Circuit breaker open since',
    because: (failures: number): string =>
      failures < 2 ? 'because the test call failed' : `because ${failures} calls failed in a row`,
    nextTest: '; next test call in',
    pausedUntil: 'Paused by an operator until',
    pausedSince: ', since',
    who: 'Who paused it?',
    states: {
      closed: (failures: number): string =>
        failures === 0 ? 'closed' : `closed, ${plural(failures, 'call')} failed in a row`,
      open: (failures: number): string =>
        failures === 0 ? 'open' : `open, ${plural(failures, 'call')} failed in a row`,
      half_open: (): string => 'half-open, testing with one call',
    },
  },
  connections: (up: number, wanted: number): string => `${up} of ${wanted} up`,
  reports: { callback: 'by callback', connection: 'over the connection', never: 'none' },
  lookup: ', status lookup',
  recent: {
    title: (minutes: number): string => `Last ${minutes} minutes`,
    away: 'Recent traffic is unavailable: the message index does not respond.',
    rate: 'Messages',
    perSecond: '/s',
    delivered: 'Delivery rate',
    handoff: 'Time to handoff',
    p95: 'p95',
  },
  errors: {
    title: 'Errors in the last hour',
    last: 'Last error',
    noneInHour: 'No errors in the last hour.',
    inHour: (count: string, one: boolean): string =>
      one ? 'once in the last hour' : `${count} times in the last hour`,
    none: 'None.',
    away: 'Unavailable: the message index does not respond.',
    newest: 'last',
    rest: (count: string): string => `and ${count} other errors`,
  },
  messages: 'View messages',
  lastSeen: 'This data is outdated: the gateway does not respond.',
  actions: {
    pause: 'Pause',
    longer: 'Change pause',
    resume: 'Resume now',
    of: (name: string): string => `of ${name}`,
    pauseTitle: (name: string): string => `Pause ${name}?`,
    pauseMeans:
      'No tenant and no worker sends messages to this provider until the time is up. Messages go to the next provider of their route, or wait if there is none. Calls in flight finish. A restart of the gateway does not end the pause.',
    howLong: 'Pause for',
    pauses: { '15m': '15 minutes', '1h': '1 hour', tomorrow: 'Until tomorrow 8:00', chosen: 'Until a chosen time' },
    end: 'Until',
    ends: 'Ends',
    tooLong: 'Choose a time within the next 7 days.',
    resumeTitle: (name: string): string => `Resume ${name}?`,
    resumeMeans:
      'The circuit breaker closes now. New messages use this provider at once, waiting messages within a minute. If calls still fail, the circuit breaker opens again.',
    done: {
      trip: (name: string): string => `${name} paused.`,
      reset: (name: string): string => `${name} resumed.`,
    },
  },
} as const
