/** The ids of Twilio's API. Those of messages and verifications are our own ids, spelt as Twilio spells its ids. */
import { type MessageId, parseMessageId } from '../ids.ts'

/** A verification has the id of its challenge, which is that of the message with the code. */
export type SidKind = 'SM' | 'VE'

const SID = /^(SM|VE)([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/i

export const toSid = (kind: SidKind, id: MessageId): string => `${kind}${id.replaceAll('-', '')}`

export function parseSid(kind: SidKind, text: string): MessageId | undefined {
  const [, found, ...parts] = SID.exec(text) ?? []
  return found === kind ? parseMessageId(parts.join('-')) : undefined
}
