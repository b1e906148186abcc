/** The message ids of an SMSC, and the receipts that refer to them. */
export type ReceiptStyle = Readonly<{
  /** The format of ids in answers; with `otherBase`, receipts use the other base. */
  ids?: 'decimal' | 'hex' | 'none'
  otherBase?: boolean
  /** Receipts contain optional fields, the customary text, or both. */
  receipts?: 'tlv' | 'text' | 'both'
}>

const STATES: Readonly<Record<string, number>> = {
  ENROUTE: 1,
  DELIVRD: 2,
  EXPIRED: 3,
  UNDELIV: 5,
  ACCEPTD: 6,
  REJECTD: 8,
}

export function toId(number: number, { ids = 'decimal' }: ReceiptStyle): string {
  if (ids === 'none') return ''
  return ids === 'hex' ? number.toString(16).toUpperCase() : `${number}`
}

/** The fields of the `deliver_sm` that reports `stat` for the message `id`. */
export function toReceipt(id: string, stat: string, style: ReceiptStyle): object {
  const { receipts = 'both', ids, otherBase = false } = style
  const reportedId = otherBase ? inBase(id, ids === 'hex' ? 10 : 16) : id
  const dates = 'submit date:2611151200 done date:2611151201'
  const text = `id:${reportedId} sub:001 dlvrd:001 ${dates} stat:${stat} err:000 text:Seu codigo`
  return {
    esm_class: 0x04,
    data_coding: 0,
    short_message: receipts === 'tlv' ? Buffer.alloc(0) : Buffer.from(text, 'latin1'),
    ...(receipts === 'text' ? {} : { receipted_message_id: reportedId, message_state: STATES[stat] ?? 7 }),
  }
}

const inBase = (id: string, base: 10 | 16): string => BigInt(base === 10 ? `0x${id}` : id).toString(base)
