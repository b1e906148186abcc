/** What the providers of a route have sent in the last hour, on its channel, also for other routes. */
import { hourOf, useLastHour } from '../providers/last-hour.ts'
import type { Route } from './data.ts'

export function useTraffic({ channel, providers }: Pick<Route, 'channel' | 'providers'>) {
  const { data } = useLastHour()
  if (data === undefined) return undefined
  const ofChannel = { ...data, buckets: data.buckets.filter((bucket) => bucket.channel === channel) }
  const names = providers.map((one) => (typeof one === 'string' ? one : one.name))
  const { counted, volumes } = hourOf(ofChannel, names)
  return { volumes, messages: counted.messages }
}
