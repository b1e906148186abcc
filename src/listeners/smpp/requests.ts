/** The requests of clients, read from the bodies of their PDUs. `Unreadable` where a body is not what it must be. */
import type { SmppAddress } from '../../domain/message/receipt-request.ts'
import { OctetReader, type Optionals, Unreadable } from './octet-reader.ts'
import { HEAD_OCTETS, TAGS } from './pdu.ts'

/** The longest fields, with their NUL. Passwords of more than eight characters do not fit SMPP 3.4, but many clients send them. */
const MOST = {
  systemId: 65,
  password: 129,
  systemType: 13,
  range: 41,
  serviceType: 6,
  address: 21,
  dataAddress: 65,
  time: 17,
  messageId: 65,
  listName: 21,
}

export type BindRequest = Readonly<{ systemId: string; password: string; version: number }>

/** What submit_sm, data_sm and each destination of submit_multi ask for. */
export type SubmitRequest = Readonly<{
  source: SmppAddress
  destination: SmppAddress
  esmClass: number
  priority: number
  schedule: string
  validity: string
  registered: number
  coding: number
  defaultMessage: number
  /** From short_message or message_payload. */
  octets: Buffer
  optionals: Optionals
}>

/** A distribution list has no address. */
export type Destination = Readonly<{ address?: SmppAddress }>
export type MultiRequest = Omit<SubmitRequest, 'destination'> & Readonly<{ destinations: readonly Destination[] }>

const readerOf = (frame: Buffer): OctetReader => new OctetReader(frame, HEAD_OCTETS)

export function readBind(frame: Buffer): BindRequest {
  const reader = readerOf(frame)
  const request = {
    systemId: reader.text(MOST.systemId),
    password: reader.text(MOST.password),
    systemType: reader.text(MOST.systemType),
    version: reader.number(),
  }
  reader.octets(2)
  reader.text(MOST.range)
  return request
}

function readAddress(reader: OctetReader, most = MOST.address): SmppAddress {
  return { ton: reader.number(), npi: reader.number(), address: reader.text(most) }
}

export function readSubmit(frame: Buffer): SubmitRequest {
  const reader = readerOf(frame)
  reader.text(MOST.serviceType)
  const [source, destination] = [readAddress(reader), readAddress(reader)]
  return { source, destination, ...readRest(reader) }
}

/** After the addresses. */
function readRest(reader: OctetReader) {
  const esmClass = reader.number()
  reader.number()
  const priority = reader.number()
  const schedule = reader.text(MOST.time)
  const validity = reader.text(MOST.time)
  const registered = reader.number()
  // replace_if_present_flag: there is nothing to replace.
  reader.number()
  const coding = reader.number()
  const defaultMessage = reader.number()
  const short = reader.octets(reader.number())
  const optionals = reader.optionals()
  const octets = toText(short, optionals)
  return { esmClass, priority, schedule, validity, registered, coding, defaultMessage, octets, optionals }
}

/** Not both. */
function toText(short: Buffer, optionals: Optionals): Buffer {
  const payload = optionals.get(TAGS.message_payload)
  if (payload !== undefined && short.length > 0) throw new Unreadable()
  return payload ?? short
}

export function readData(frame: Buffer): SubmitRequest {
  const reader = readerOf(frame)
  reader.text(MOST.serviceType)
  const [source, destination] = [readAddress(reader, MOST.dataAddress), readAddress(reader, MOST.dataAddress)]
  const [esmClass, registered, coding] = [reader.number(), reader.number(), reader.number()]
  const optionals = reader.optionals()
  const octets = optionals.get(TAGS.message_payload) ?? Buffer.alloc(0)
  const said = { source, destination, esmClass, registered, coding, octets, optionals }
  return { ...said, priority: 0, schedule: '', validity: '', defaultMessage: 0 }
}

const ONE_ADDRESS = 1
const LIST = 2

export function readMulti(frame: Buffer): MultiRequest {
  const reader = readerOf(frame)
  reader.text(MOST.serviceType)
  const source = readAddress(reader)
  const destinations: Destination[] = []
  for (let left = reader.number(); left > 0; left -= 1) {
    const flag = reader.number()
    if (flag === ONE_ADDRESS) destinations.push({ address: readAddress(reader) })
    else if (flag === LIST) {
      reader.text(MOST.listName)
      destinations.push({})
    } else throw new Unreadable()
  }
  return { source, destinations, ...readRest(reader) }
}

/** The id of query_sm, cancel_sm and replace_sm, and the source address. */
export function readReference(frame: Buffer): Readonly<{ messageId: string; source: SmppAddress }> {
  const reader = readerOf(frame)
  return { messageId: reader.text(MOST.messageId), source: readAddress(reader) }
}
