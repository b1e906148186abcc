/** What the sender of a message wants to be told of it, as SMPP clients ask for delivery receipts. */

/** An address as an SMPP client writes it: type of number, numbering plan, and up to 20 octets. */
export type SmppAddress = Readonly<{ ton: number; npi: number; address: string }>

/** What the receipts of a message need besides its state. Part of the content, because it names the recipient. */
export type ReceiptRequest = Readonly<{
  source: SmppAddress
  destination: SmppAddress
  /** `registered_delivery` of each part that the message arrived in, in order: each expects receipts of its own. */
  registered: readonly number[]
  /** The id that the client knows the message by, if it is not the message's own. */
  id?: string
  /** The validity period, if it is relative: a repeated request asks for the same one, which then ends later. */
  validityPeriod?: string
}>

/** What a repeated request repeats: by then another message may be the one that gives its id to the receipts. */
export const toAskedReceipt = ({ id: _, ...asked }: ReceiptRequest): object => asked

/** Whether any part asked for receipts, and whether any asked for intermediate notifications. */
export type ReceiptsWanted = 'final' | 'all'

export type Owed = 'final' | 'intermediate'

/** The states of SMPP that a message can be in. */
export type ReceiptState = 'ENROUTE' | 'DELIVRD' | 'EXPIRED' | 'UNDELIV' | 'ACCEPTD' | 'UNKNOWN' | 'REJECTD'

/** The low bits of `registered_delivery`: final receipts always, or only of failures or successes. */
const FINAL_BITS = 0x03
const ON_FAILURE = 2
const ON_SUCCESS = 3
const INTERMEDIATE_BIT = 0x10

/** Undefined when no part asks for receipts. */
export function receiptsWanted(registered: readonly number[]): ReceiptsWanted | undefined {
  if (registered.some((flags) => (flags & INTERMEDIATE_BIT) !== 0)) return 'all'
  return registered.some((flags) => (flags & FINAL_BITS) !== 0) ? 'final' : undefined
}

/** Whether a part that was sent with these flags gets this receipt. */
export function wantsReceipt(flags: number, owed: Owed, state: ReceiptState): boolean {
  if (owed === 'intermediate') return (flags & INTERMEDIATE_BIT) !== 0
  const wanted = flags & FINAL_BITS
  const isSuccess = state === 'DELIVRD' || state === 'ACCEPTD'
  if (wanted === ON_FAILURE) return !isSuccess
  return wanted === ON_SUCCESS ? isSuccess : wanted !== 0
}
