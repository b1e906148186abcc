/** The health of an endpoint. */
import { WEBHOOKS_TEXTS } from '../../texts/webhooks.ts'
import { Badge } from '../../ui/parts.tsx'
import { Age } from '../../ui/time.tsx'
import { type Endpoint, HEALTH_TONES, healthOf } from './endpoint.ts'

const T = WEBHOOKS_TEXTS

export function HealthBadge({ endpoint }: Readonly<{ endpoint: Endpoint }>) {
  const health = healthOf(endpoint)
  return (
    <span className="row">
      <Badge tone={HEALTH_TONES[health]}>{T.health[health]}</Badge>
      {endpoint.failing_since !== null && (
        <span className="soft">
          {T.failingSince} <Age at={endpoint.failing_since} />
        </span>
      )}
    </span>
  )
}
