/**
 * A fake SES: it accepts mail in the real wire format and builds the notifications that it would send by SNS. It verifies
 * the signature of every request with its own implementation of AWS Signature Version 4.
 */

import { createHash, createHmac, randomUUID } from 'node:crypto'
import { omitUndefined } from '../../src/lib/omit-undefined.ts'
import { type FakeHttp, type FakeRequest, type FakeResponse, jsonResponse, openFakeHttp } from './fake-http.ts'

export const SES = {
  region: 'eu-west-1',
  access_key_id: 'AKIDEXAMPLE',
  secret_access_key: 'a-secret-nobody-knows',
  from: 'Acme <no-reply@acme.example>',
}

export type SesMail = Readonly<{
  id: string
  from: string
  to: readonly string[]
  /** The source of the mail. */
  raw: Buffer
  tags: Readonly<Record<string, readonly string[]>>
  configurationSet?: string
}>

export type FakeSes = FakeHttp &
  Readonly<{
    /** The accepted mails, oldest first. */
    mails: readonly SesMail[]
  }>

const PATH = '/v2/email/outbound-emails'

/** An error of the v2 API, whose message contains the recipient. */
export const refusal = (status: number, name: string, message = 'maria.silva@example.org is wrong'): FakeResponse =>
  jsonResponse(status, { message }, { 'x-amzn-errortype': name })

export async function openFakeSes(): Promise<FakeSes> {
  const mails: SesMail[] = []
  const http = await openFakeHttp((request) => answer(mails, request))
  return { ...http, mails }
}

function answer(mails: SesMail[], request: FakeRequest): FakeResponse {
  if (request.method !== 'POST' || request.path !== PATH) return refusal(404, 'UnknownOperationException')
  if (!isSigned(request)) return refusal(403, 'InvalidSignatureException')
  const body = JSON.parse(request.body)
  const { ToAddresses: to = [], CcAddresses: cc = [], BccAddresses: bcc = [] } = body.Destination ?? {}
  const recipients: readonly string[] = [...to, ...cc, ...bcc]
  if (recipients.length === 0 || recipients.length > 50) return refusal(400, 'BadRequestException')
  const tags: readonly { Name: string; Value: string }[] = body.EmailTags ?? []
  if (!tags.every(({ Value }) => /^[A-Za-z0-9_\-.@]{1,256}$/.test(Value))) return refusal(400, 'BadRequestException')
  const mail = omitUndefined({
    id: `0100${randomUUID()}-000000`,
    from: body.FromEmailAddress as string,
    to: recipients,
    raw: Buffer.from(body.Content.Raw.Data, 'base64'),
    tags: Object.fromEntries(tags.map(({ Name, Value }) => [Name, [Value]])),
    configurationSet: body.ConfigurationSetName as string | undefined,
  })
  mails.push(mail)
  return jsonResponse(200, { MessageId: mail.id })
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=(?<key>[^/]+)\/(?<day>\d{8})\/(?<region>[^/]+)\/ses\/aws4_request, SignedHeaders=(?<names>[^,]+), Signature=(?<signature>[0-9a-f]{64})$/

function isSigned({ method, path, headers, body }: FakeRequest): boolean {
  const {
    key,
    day = '',
    region = '',
    names = '',
    signature,
  } = AUTHORIZATION.exec(headers.authorization ?? '')?.groups ?? {}
  const at = `${headers['x-amz-date']}`
  if (key !== SES.access_key_id || region !== SES.region || !at.startsWith(day)) return false
  if (!['host', 'x-amz-date'].every((name) => names.split(';').includes(name))) return false
  const canonical = [
    method,
    path,
    '',
    ...names.split(';').map((name) => `${name}:${`${headers[name]}`.trim().replace(/ +/g, ' ')}`),
    '',
    names,
    sha256(body),
  ].join('\n')
  const text = ['AWS4-HMAC-SHA256', at, `${day}/${region}/ses/aws4_request`, sha256(canonical)].join('\n')
  const signing = [day, region, 'ses', 'aws4_request'].reduce(hmac, Buffer.from(`AWS4${SES.secret_access_key}`))
  return hmac(signing, text).toString('hex') === signature
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** The `mail` object of every notification of a configuration set. */
export const mailOf = ({ id, from, to, tags }: SesMail): object => ({
  timestamp: new Date().toISOString(),
  messageId: id,
  source: from,
  sourceArn: 'arn:aws:ses:eu-west-1:123456789012:identity/acme.example',
  sendingAccountId: '123456789012',
  destination: to,
  headersTruncated: false,
  headers: [{ name: 'Subject', value: 'Hello' }],
  commonHeaders: { subject: 'Hello' },
  tags: { 'ses:configuration-set': ['acme'], ...tags },
})

export const deliveryOf = (mail: SesMail): object => ({
  eventType: 'Delivery',
  mail: mailOf(mail),
  delivery: {
    timestamp: new Date().toISOString(),
    processingTimeMillis: 546,
    recipients: mail.to,
    smtpResponse: '250 ok',
    reportingMTA: 'a8-70.smtp-out.amazonses.com',
  },
})
