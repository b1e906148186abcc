/** A message of the load, produced by the code that accepts it, without storing it. */
import { randomBytes } from 'node:crypto'
import type { AccountId, TenantId } from '../../src/domain/ids.ts'
import type { Content } from '../../src/domain/message/message.ts'
import { parseSmsRequest } from '../../src/domain/requests/sms-request.ts'
import { openIds } from '../../src/engines/crypto/ids.ts'
import { openSealer } from '../../src/engines/crypto/sealer.ts'
import { encodeStored, toEncoded } from '../../src/engines/nats/wire.ts'
import { accept } from '../../src/flows/send/accept.ts'
import { instant } from '../../src/lib/time.ts'
import type { AppendResult, Entry, EventLog } from '../../src/ports/event-log.ts'
import { TEXT } from '../messages.ts'

export const sealer = openSealer(randomBytes(32))
const ids = openIds()
const clock = () => instant(Date.now())
const MAX_PARTS = 24

export type Sample = Readonly<{ event: Entry['event']; content: Content }>

/** The first event of a new message to the nth recipient. */
export async function toSample(nth: number): Promise<Sample> {
  const to = `+5511${String(nth).padStart(8, '0')}`
  const sms = parseSmsRequest({ to, message: TEXT }, MAX_PARTS)
  if (sms.kind === 'bad') throw new Error('the sample message is invalid')
  const written: Entry[] = []
  const append = async (entry: Entry): Promise<AppendResult> => {
    written.push(entry)
    return { kind: 'appended', revision: entry.seen }
  }
  await accept(
    { log: { append } as unknown as EventLog, clock, ids },
    {
      content: sms.content,
      form: sms.segmentation,
      tenantId: 'demo' as TenantId,
      accountId: 'default' as AccountId,
      lane: 'transactional',
      idempotencyKey: `bench-${randomBytes(4).toString('hex')}-${String(nth).padStart(12, '0')}`,
      traceId: ids.traceId(),
    },
  )
  const [entry] = written
  if (entry === undefined) throw new Error('nothing was written')
  return { event: entry.event, content: sms.content }
}

/** The encoded bytes of the first event, with sealed content. */
export function toBytes({ event, content }: Sample): Uint8Array {
  const { sealed } = sealer.seal(event.state.id, Buffer.from(JSON.stringify(content)))
  return encodeStored(toEncoded(event), [], { kid: randomBytes(9).toString('base64url'), bytes: sealed })
}
