/** Answers the requests of a bound client. */
import type { Caller } from '../../domain/access/caller.ts'
import { type MessageId, parseMessageId } from '../../domain/ids.ts'
import { toReceiptState } from '../../domain/message/owed-receipts.ts'
import type { SmppAddress } from '../../domain/message/receipt-request.ts'
import type { MessageState } from '../../domain/message/state.ts'
import type { EventLog } from '../../ports/event-log.ts'
import { type Command, cString, STATUS, type Status, toBody } from './pdu.ts'
import { messageStateOf } from './receipts.ts'
import { type MultiRequest, readData, readMulti, readReference, readSubmit, type SubmitRequest } from './requests.ts'
import type { Bound, Reply } from './session.ts'
import { Answered, statusOf } from './statuses.ts'
import { type SubmitDeps, submit, wholeIdOf } from './submit.ts'
import { toSmppTime } from './times.ts'

export type ServeDeps = SubmitDeps & Readonly<{ log: Pick<EventLog, 'latest'> }>

/** Undefined for commands that only we may send. */
export function serve(
  deps: ServeDeps,
  command: Command,
  frame: Buffer,
  { caller }: Bound,
): Promise<Reply> | Reply | undefined {
  switch (command) {
    case 'submit_sm':
      return submitOne(deps, caller, readSubmit(frame))
    case 'data_sm':
      return submitOne(deps, caller, readData(frame))
    case 'submit_multi':
      return submitMulti(deps, caller, readMulti(frame))
    case 'query_sm':
      return query(deps, caller, frame)
    // A message that was accepted is on its way.
    case 'cancel_sm':
      return { status: STATUS.cancelFailed }
    case 'replace_sm':
      return { status: STATUS.replaceFailed }
    default:
      return undefined
  }
}

async function submitOne(deps: ServeDeps, caller: Caller, request: SubmitRequest): Promise<Reply> {
  return { status: STATUS.ok, body: cString(await submit(deps, caller, request)) }
}

type Failure = Readonly<{ address: SmppAddress; status: Status }>

/** Each destination gets a message of its own. The answer names the first that was accepted, and so do all receipts. */
async function submitMulti(deps: ServeDeps, caller: Caller, request: MultiRequest): Promise<Reply> {
  const { destinations, ...rest } = request
  if (destinations.length === 0) throw new Answered(STATUS.invalidDestinationCount)
  const failures: Failure[] = []
  let first: string | undefined
  const tryOne = async (address: SmppAddress | undefined): Promise<string | undefined> => {
    try {
      if (address === undefined) throw new Answered(STATUS.invalidListName)
      const options = { isOneOfMany: true, ...(first === undefined ? {} : { receiptId: wholeIdOf(first) }) }
      return await submit(deps, caller, { ...rest, destination: address }, options)
    } catch (error) {
      const status = statusOf(error)
      if (status === undefined) throw error
      failures.push({ address: address ?? NO_ADDRESS, status })
      return undefined
    }
  }
  let next = 0
  for (; first === undefined && next < destinations.length; next += 1) first = await tryOne(destinations[next]?.address)
  await Promise.all(destinations.slice(next).map(({ address }) => tryOne(address)))
  if (first === undefined) throw new Answered(failures[0]?.status ?? STATUS.submitFailed)
  return { status: STATUS.ok, body: toBody(first, failures.length, ...failures.map(toUnsuccess)) }
}

const NO_ADDRESS: SmppAddress = { ton: 0, npi: 0, address: '' }

function toUnsuccess({ address: { ton, npi, address }, status }: Failure): Buffer {
  const code = Buffer.alloc(4)
  code.writeUInt32BE(status)
  return toBody(ton, npi, address, code)
}

/** A message of another account does not exist. */
async function query({ log }: ServeDeps, caller: Caller, frame: Buffer): Promise<Reply> {
  const { messageId } = readReference(frame)
  const id = toMessageId(messageId)
  const state = id && (await log.latest(id))?.event.state
  if (state === undefined || !isOf(caller, state)) throw new Answered(STATUS.queryFailed)
  const receiptState = toReceiptState(state)
  const finalAt = receiptState === 'ENROUTE' ? '' : toSmppTime(state.endedAt ?? state.updatedAt)
  return { status: STATUS.ok, body: toBody(messageId, finalAt, messageStateOf(receiptState), 0) }
}

const isOf = ({ tenantId, accountId }: Caller, state: MessageState): boolean =>
  state.tenantId === tenantId && state.accountId === accountId

/** The id of a part names its message. */
const toMessageId = (id: string): MessageId | undefined => parseMessageId(wholeIdOf(id))
