/** Tells of one turn: enqueues the webhooks, and does what else is set up. Idempotent, so it may be done again after a crash. */
import { type Alert, type Notice, subjectOf, toOperators } from '../../domain/alerts/alert.ts'
import type { Instant } from '../../lib/time.ts'
import type { WebhookDeliveries } from '../../ports/webhook-deliveries.ts'
import type { Ids } from '../../ports/world.ts'

export type TellDeps = Readonly<{
  webhookDeliveries: Pick<WebhookDeliveries, 'enqueueAlert'>
  ids: Pick<Ids, 'alertId'>
  /** Where else operators are told. */
  outlets: readonly ((alert: Alert) => Promise<void>)[]
}>

/** `turnedAt` identifies the turn; `at` is when it was noticed, if that was later. */
export async function tell(deps: TellDeps, notice: Notice, turnedAt: Instant, at = turnedAt): Promise<void> {
  const forOperators = toAlert(deps, toOperators(notice), turnedAt, at)
  if (forOperators.kind !== notice.kind) {
    await deps.webhookDeliveries.enqueueAlert(toAlert(deps, notice, turnedAt, at))
  }
  await deps.webhookDeliveries.enqueueAlert(forOperators)
  await Promise.all(deps.outlets.map((outlet) => outlet(forOperators)))
}

const toAlert = ({ ids }: TellDeps, notice: Notice, turnedAt: Instant, at: Instant): Alert => ({
  ...notice,
  id: ids.alertId({ kind: notice.kind, subject: subjectOf(notice), at: turnedAt }),
  at,
})
