/**
 * What SNS posts, and how it signs it: RSA over some of the fields, each as its name and its value on lines of their
 * own, in this order. The values are what the JSON says, not how it writes them.
 */
import { verify, type X509Certificate } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { jsonOf } from '../http.ts'
import { parser } from '../json.ts'

const ORDINARY = {
  MessageId: Type.String({ minLength: 1, maxLength: 200 }),
  TopicArn: Type.String(),
  Message: Type.String(),
  Timestamp: Type.String(),
  SignatureVersion: Type.String(),
  Signature: Type.String(),
  SigningCertURL: Type.String(),
}

const Envelope = Type.Union([
  Type.Object({ ...ORDINARY, Type: Type.Literal('Notification'), Subject: Type.Optional(Type.String()) }),
  Type.Object({
    ...ORDINARY,
    Type: Type.Enum(['SubscriptionConfirmation', 'UnsubscribeConfirmation']),
    Token: Type.String(),
    SubscribeURL: Type.String(),
  }),
])
export type Envelope = Static<typeof Envelope>

const parse = parser(Envelope)

/** Undefined for what SNS would not post; also for what it posts without an envelope, which nobody has signed. */
export const parseEnvelope = (body: Uint8Array): Envelope | undefined => parse(jsonOf({ body }))

const OF_NOTIFICATION = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']
const OF_CONFIRMATION = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']

export function toSigned(envelope: Omit<Envelope, 'Signature'>): string {
  const values = new Map<string, unknown>(Object.entries(envelope))
  const names = envelope.Type === 'Notification' ? OF_NOTIFICATION : OF_CONFIRMATION
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
