/** A fake SNS that builds callbacks signed with its own certificate, as the real one does. */
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import type { CallbackRequest } from '../../src/ports/provider.ts'
import { selfSigned } from './self-signed.ts'

export const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:mail'
export const CERTIFICATE_URL = 'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123abcd.pem'
export const SUBSCRIBE_URL = 'https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=a-token'

/** Fields of a callback before it is signed. */
export type Fields = Readonly<Record<string, string>>

const DAY_MS = 24 * 60 * 60 * 1000
const ORDER = ['Message', 'MessageId', 'Subject', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']
const HASHES: Readonly<Record<string, string>> = { '1': 'sha1', '2': 'sha256' }

export type FakeSns = Readonly<{
  /** The certificate at CERTIFICATE_URL, in PEM. */
  certificate: string
  notify: (message: unknown, more?: Fields) => CallbackRequest
  confirm: (type?: 'SubscriptionConfirmation' | 'UnsubscribeConfirmation', more?: Fields) => CallbackRequest
}>

/** Valid from a day before to a day after `at`. */
export function fakeSns(at = Date.now()): FakeSns {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const { cert } = selfSigned('127.0.0.1', { pair, from: at - DAY_MS, until: at + DAY_MS })
  const post = (given: Fields): CallbackRequest => {
    const fields: Fields = {
      MessageId: randomUUID(),
      TopicArn: TOPIC,
      Timestamp: new Date(at).toISOString(),
      SignatureVersion: '2',
      SigningCertURL: CERTIFICATE_URL,
      ...given,
    }
    const text = ORDER.filter((name) => name in fields).map((name) => `${name}\n${fields[name]}\n`)
    const hash = HASHES[fields['SignatureVersion'] ?? ''] ?? 'sha256'
    const signature = sign(hash, Buffer.from(text.join('')), pair.privateKey).toString('base64')
    return toRequest({ Signature: signature, ...fields })
  }
  return {
    certificate: cert,
    notify: (message, more = {}) => post({ Type: 'Notification', Message: toText(message), ...more }),
    confirm: (type = 'SubscriptionConfirmation', more = {}) =>
      post({ Type: type, Message: 'You have chosen…', Token: 'a-token', SubscribeURL: SUBSCRIBE_URL, ...more }),
  }
}

const toText = (message: unknown): string => (typeof message === 'string' ? message : JSON.stringify(message))

export const toRequest = (json: unknown): CallbackRequest => ({
  method: 'POST',
  url: 'https://pombo.example/v1/callbacks/ses',
  headers: new Headers({ 'content-type': 'text/plain; charset=UTF-8' }),
  body: Buffer.from(JSON.stringify(json)),
})

export const jsonOf = ({ body }: CallbackRequest): Record<string, string> => JSON.parse(Buffer.from(body).toString())

/** A callback with fields changed after it was signed; undefined removes a field. */
export const altered = (request: CallbackRequest, changes: Readonly<Record<string, unknown>>): CallbackRequest =>
  toRequest({ ...jsonOf(request), ...changes })
