/**
 * What an SMSC brings by itself: receipts, and what phones write, which is not for us. It is answered once it
 * is stored; what cannot be stored now the SMSC is asked to bring again.
 */
import { ofWhole, type PartReport } from '../../domain/message/part-reports.ts'
import type { Registered } from '../../ports/carrier-references.ts'
import type { ProviderContext } from '../kind.ts'
import { toReceipt } from './carrier-references.ts'
import { readReceipt, type SmppReceipt } from './delivery-receipt.ts'
import { type IdRule, receiptNames } from './message-ids.ts'
import type { Pdu } from './pdu.ts'

const OK = 0
const BRING_IT_AGAIN = 0x64
const UCS2 = 0x08

export type DeliveryDeps = Pick<ProviderContext, 'name' | 'clock' | 'receipts' | 'report' | 'tell'> &
  Readonly<{ ids: IdRule }>

/** Answers with the status that the SMSC is to get. */
export function deliveries(deps: DeliveryDeps): (pdu: Pdu) => Promise<number> {
  const unreadable = counted(deps, 'the SMSC sent receipts that cannot be read')
  const incoming = counted(deps, 'the SMSC sent messages from phones, which are not supported')
  let isStoring = true
  return async (pdu) => {
    const receipt = pdu.isReadable ? readReceipt(toFields(pdu)) : 'unreadable'
    if (receipt === 'unreadable') unreadable()
    if (receipt === 'not a receipt') incoming()
    if (typeof receipt === 'string') return OK
    try {
      await store(deps, receipt)
      isStoring = true
      return OK
    } catch (error) {
      const sentence = 'receipts cannot be stored; the SMSC is asked to bring them again'
      if (isStoring) deps.tell('warn', sentence, { reason: String(error) })
      isStoring = false
      return BRING_IT_AGAIN
    }
  }
}

async function store(deps: DeliveryDeps, receipt: SmppReceipt): Promise<void> {
  const named = await findNamed(deps, receiptNames(receipt.ids, deps.ids), { ...receipt.report, at: deps.clock() })
  if (named === undefined) return
  const whole = ofWhole(named.reports)
  if (whole !== undefined) await deps.report(toReceipt(named.ref, named.names, whole))
}

/**
 * While nobody has any of the names, the report is kept under the first alone: kept under a second that was wrong, it
 * would wait there for another message.
 */
async function findNamed(
  { name, receipts }: DeliveryDeps,
  parts: readonly string[],
  told: PartReport,
): Promise<Registered | undefined> {
  const [first = '', ...others] = parts
  if (others.length > 0) {
    for (const part of parts) {
      const named = await receipts.report(name, part, told, { onlyIfRegistered: true })
      if (named !== undefined) return named
    }
  }
  return receipts.report(name, first, told)
}

function toFields({ fields }: Pdu) {
  const { esm_class: esmClass = 0, data_coding: coding, short_message: short, message_payload: payload } = fields
  const { receipted_message_id: id, message_state: state, network_error_code: error } = fields
  const octets = short?.length ? short : payload
  return {
    esmClass,
    text: octets === undefined ? '' : toText(octets, coding),
    ...(id === undefined ? {} : { receiptedMessageId: id }),
    ...(state === undefined ? {} : { messageState: state }),
    ...(error === undefined ? {} : { networkErrorCode: error }),
  }
}

/** Receipts are written in ASCII, whatever alphabet they say it is; but for UCS-2, which few use. */
const toText = (octets: Buffer, coding?: number): string =>
  coding === UCS2 && octets.length % 2 === 0
    ? Buffer.from(octets).swap16().toString('utf16le')
    : octets.toString('latin1')

/** Tells of the first, of the tenth, of the hundredth and so on. */
function counted({ tell }: DeliveryDeps, sentence: string): () => void {
  let count = 0
  let next = 1
  return () => {
    count += 1
    if (count < next) return
    next *= 10
    tell('warn', sentence, { count })
  }
}
