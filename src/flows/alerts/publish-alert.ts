/** Publishes the turn of a circuit breaker as an integration event. */
import type { Alert } from '../../domain/alerts/alert.ts'
import { toProviderEvent } from '../../domain/alerts/provider-event.ts'
import type { Engines } from '../../ports/engines.ts'

export async function publishAlert(
  { publishEvent }: Required<Pick<Engines, 'publishEvent'>>,
  alert: Alert,
): Promise<void> {
  const event = toProviderEvent(alert)
  if (event !== undefined) await publishEvent({ ...event, id: alert.id })
}
