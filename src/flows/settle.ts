/**
 * A provider reports on an attempt. Reports may come doubled, out of order, before the answer to
 * the call they belong to, or after a newer cycle has begun; the log sorts it out.
 */
import type { Fact, ProviderFact } from '../domain/events.ts'
import type { MessageState } from '../domain/state.ts'
import { isHandoffOver } from '../domain/states.ts'
import type { Receipt } from '../ports/provider.ts'
import { advance, type RecordDeps, toSeen } from './record.ts'

const FACT = {
  accepted: 'ProviderAccepted',
  delivered: 'ProviderDelivered',
  dropped: 'ProviderDropped',
  bounced: 'ProviderBounced',
  complaint: 'ProviderComplaint',
} as const satisfies Record<Receipt['state'], ProviderFact['kind']>

/** Whether the report found its message. */
export type Settled = 'settled' | 'unmatched'

export async function settle(
  deps: RecordDeps,
  receipt: Receipt,
  by: 'receipt' | 'lookup' = 'receipt',
): Promise<Settled> {
  const latest = await deps.log.latest(receipt.ref.messageId)
  if (latest === undefined) return 'unmatched'

  const { ref, providerMessageId } = receipt
  const accepted: Fact = { kind: 'HandoffAccepted', providerMessageId, by }
  // Asked anew after each conflict: only a state that knows of the attempt shows what is proved.
  for (let seen = toSeen(latest), isTold = false; !isTold; ) {
    const advanced = await advance(deps, seen, (state) => {
      isTold = !isProof(state, receipt)
      return { fact: isTold ? toFact(receipt) : accepted, ref }
    })
    seen = advanced.seen
  }
  return 'settled'
}

/**
 * While we are unsure of a cycle, a report on an attempt of it proves that the provider has the message;
 * save bad news of an earlier attempt, which the newest one may still make up for.
 */
const isProof = ({ cycle, attempt, handoffState }: MessageState, { ref, state }: Receipt): boolean =>
  cycle === ref.cycle && !isHandoffOver(handoffState) && (attempt === ref.attempt || !BAD_NEWS.has(state))

const BAD_NEWS: ReadonlySet<Receipt['state']> = new Set(['dropped', 'bounced'])

function toFact({ state, reportId, providerMessageId, code, detail }: Receipt): ProviderFact {
  return {
    kind: FACT[state],
    reportId,
    providerMessageId,
    ...(code === undefined ? {} : { code }),
    ...(detail === undefined ? {} : { detail }),
  }
}
