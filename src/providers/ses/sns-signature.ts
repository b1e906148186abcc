/**
 * The messages that SNS POSTs, and their signature: RSA over some of the fields in a fixed order, the name and the
 * decoded value each on their own line.
 */
import { verify, type X509Certificate } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { jsonOf, parser } from '../json.ts'

const COMMON = {
  MessageId: Type.String({ minLength: 1, maxLength: 200 }),
  TopicArn: Type.String(),
  Message: Type.String(),
  Timestamp: Type.String(),
  SignatureVersion: Type.String(),
  Signature: Type.String(),
  SigningCertURL: Type.String(),
}

const Envelope = Type.Union([
  Type.Object({ ...COMMON, Type: Type.Literal('Notification'), Subject: Type.Optional(Type.String()) }),
  Type.Object({
    ...COMMON,
    Type: Type.Enum(['SubscriptionConfirmation', 'UnsubscribeConfirmation']),
    Token: Type.String(),
    SubscribeURL: Type.String(),
  }),
])
export type Envelope = Static<typeof Envelope>

const parse = parser(Envelope)

/** Undefined for anything else, including raw message delivery, which is not signed. */
export const parseEnvelope = (body: Uint8Array): Envelope | undefined => parse(jsonOf({ body }))

const NOTIFICATION_FIELDS = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']
const CONFIRMATION_FIELDS = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']

export function toSigned(envelope: Omit<Envelope, 'Signature'>): string {
  const values = new Map<string, unknown>(Object.entries(envelope))
  const names = envelope.Type === 'Notification' ? NOTIFICATION_FIELDS : CONFIRMATION_FIELDS
  return names
    .filter((name) => values.has(name))
    .map((name) => `${name}\n${values.get(name)}\n`)
    .join('')
}

const ALGORITHMS = new Map([
  ['1', 'RSA-SHA1'],
  ['2', 'RSA-SHA256'],
])

export function isSigned(envelope: Envelope, { publicKey }: X509Certificate): boolean {
  const algorithm = ALGORITHMS.get(envelope.SignatureVersion)
  if (algorithm === undefined || publicKey.asymmetricKeyType !== 'rsa') return false
  return verify(algorithm, Buffer.from(toSigned(envelope)), publicKey, Buffer.from(envelope.Signature, 'base64'))
}
