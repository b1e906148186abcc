/**
 * What an SMSC delivers to us: delivery receipts, and messages from phones, which we do not support. Each is answered
 * once it is stored; if it cannot be stored, the SMSC is asked to deliver it again.
 */
import { ofWhole, type PartReport } from '../../domain/message/part-reports.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Registered } from '../../ports/carrier-references.ts'
import type { ProviderContext } from '../kind.ts'
import { toReceipt } from './carrier-references.ts'
import { readReceipt, type SmppReceipt } from './delivery-receipt.ts'
import { type IdRule, receiptIds } from './message-ids.ts'
import type { Pdu } from './pdu.ts'

const OK = 0
/** ESME_RX_T_APPN: a temporary error of the receiver. */
const RETRY_LATER = 0x64
const UCS2 = 0x08

export type DeliveryDeps = Pick<ProviderContext, 'name' | 'clock' | 'carrierReferences' | 'report' | 'log'> &
  Readonly<{ ids: IdRule }>

/** Returns the status of the answer. */
export function deliveries(deps: DeliveryDeps): (pdu: Pdu) => Promise<number> {
  const onUnreadable = counted(deps, 'smpp: unreadable delivery receipt')
  const onIncoming = counted(deps, 'smpp: message from a phone ignored, not supported')
  let isStoring = true
  return async (pdu) => {
    const receipt = pdu.isReadable ? readReceipt(toFields(pdu)) : 'unreadable'
    if (receipt === 'unreadable') onUnreadable()
    if (receipt === 'not a receipt') onIncoming()
    if (typeof receipt === 'string') return OK
    try {
      await store(deps, receipt)
      isStoring = true
      return OK
    } catch (error) {
      const event = 'smpp: delivery receipts cannot be stored, asking the SMSC to retry'
      if (isStoring) deps.log('warn', event, { reason: String(error) })
      isStoring = false
      return RETRY_LATER
    }
  }
}

async function store(deps: DeliveryDeps, receipt: SmppReceipt): Promise<void> {
  const registered = await record(deps, receiptIds(receipt.ids, deps.ids), { ...receipt.report, at: deps.clock() })
  if (registered === undefined) return
  const whole = ofWhole(registered.reports)
  if (whole !== undefined) await deps.report(toReceipt(registered.ref, registered.names, whole))
}

/**
 * If no id is registered yet, the report is kept under the first id only: under a second id that is wrong, it would wait
 * for another message.
 */
async function record(
  { name, carrierReferences }: DeliveryDeps,
  ids: readonly string[],
  report: PartReport,
): Promise<Registered | undefined> {
  const [first = '', ...others] = ids
  if (others.length > 0) {
    for (const id of ids) {
      const registered = await carrierReferences.report(name, id, report, { onlyIfRegistered: true })
      if (registered !== undefined) return registered
    }
  }
  return carrierReferences.report(name, first, report)
}

function toFields({ fields }: Pdu) {
  const { esm_class: esmClass = 0, data_coding: coding, short_message: short, message_payload: payload } = fields
  const octets = short?.length ? short : payload
  return omitUndefined({
    esmClass,
    text: octets === undefined ? '' : toText(octets, coding),
    receiptedMessageId: fields.receipted_message_id,
    messageState: fields.message_state,
    networkErrorCode: fields.network_error_code,
  })
}

/** Receipts are in ASCII whatever encoding they declare, except for UCS-2, which few SMSCs use. */
const toText = (octets: Buffer, coding?: number): string =>
  coding === UCS2 && octets.length % 2 === 0
    ? Buffer.from(octets).swap16().toString('utf16le')
    : octets.toString('latin1')

/** Logs the first, the tenth, the hundredth and so on. */
function counted({ log }: DeliveryDeps, event: string): () => void {
  let count = 0
  let next = 1
  return () => {
    count += 1
    if (count < next) return
    next *= 10
    log('warn', event, { count })
  }
}
