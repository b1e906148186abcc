/**
 * An SES that takes mail over its wire format, and tells of it as it would by SNS. It checks the signature of every
 * request by its own reckoning (AWS Signature Version 4), so that a client that signs wrongly is not believed.
 */
import { createHash, createHmac, randomUUID } from 'node:crypto'
import { type FakeHttp, type Heard, openFakeHttp, type Said, saying } from './fake-http.ts'

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
    /** What it took, oldest first. */
    mails: readonly SesMail[]
  }>

const PATH = '/v2/email/outbound-emails'

/** As the second version of the API refuses: its words name whom the mail is for. */
export const refusal = (status: number, name: string, message = 'maria.silva@example.org is wrong'): Said =>
  saying(status, { message }, { 'x-amzn-errortype': name })

export async function openFakeSes(): Promise<FakeSes> {
  const mails: SesMail[] = []
  const http = await openFakeHttp((heard) => answer(mails, heard))
  return { ...http, mails }
}

function answer(mails: SesMail[], heard: Heard): Said {
  if (heard.method !== 'POST' || heard.path !== PATH) return refusal(404, 'UnknownOperationException')
  if (!isSigned(heard)) return refusal(403, 'InvalidSignatureException')
  const asked = JSON.parse(heard.body)
  const { ToAddresses: to = [], CcAddresses: cc = [], BccAddresses: bcc = [] } = asked.Destination ?? {}
  const everybody: readonly string[] = [...to, ...cc, ...bcc]
  if (everybody.length === 0 || everybody.length > 50) return refusal(400, 'BadRequestException')
  const tags: readonly { Name: string; Value: string }[] = asked.EmailTags ?? []
  if (!tags.every(({ Value }) => /^[A-Za-z0-9_\-.@]{1,256}$/.test(Value))) return refusal(400, 'BadRequestException')
  const mail = {
    id: `0100${randomUUID()}-000000`,
    from: asked.FromEmailAddress,
    to: everybody,
    raw: Buffer.from(asked.Content.Raw.Data, 'base64'),
    tags: Object.fromEntries(tags.map(({ Name, Value }) => [Name, [Value]])),
    ...(asked.ConfigurationSetName === undefined ? {} : { configurationSet: asked.ConfigurationSetName }),
  }
  mails.push(mail)
  return saying(200, { MessageId: mail.id })
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=(?<key>[^/]+)\/(?<day>\d{8})\/(?<region>[^/]+)\/ses\/aws4_request, SignedHeaders=(?<names>[^,]+), Signature=(?<signature>[0-9a-f]{64})$/

function isSigned({ method, path, headers, body }: Heard): boolean {
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

/** What every notification of a configuration set begins with. */
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
