/** The settings of Amazon SES. The rate applies to each process that sends. */
import { type Static, Type } from 'typebox'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { sender } from '../envelope.ts'
import { baseUrl, closed, secret, text } from '../kind.ts'

const MAX_RATE = 100_000

export const Settings = Type.Object(
  {
    region: text('The AWS region, such as `eu-west-1`.', 'the name of a region', '^[a-z0-9-]{3,40}$'),
    access_key_id: Type.Optional(
      secret('The AWS access key id. Without it, the AWS SDK finds credentials in variables, files or the role.'),
    ),
    secret_access_key: Type.Optional(secret('The AWS secret access key.')),
    session_token: Type.Optional(
      Type.String({
        description: 'The session token of temporary credentials.',
        must: 'a secret without spaces, best given by a variable',
        pattern: '^[^\\s]+$',
        maxLength: 8_000,
      }),
    ),
    from: sender('The sender of email that names none. It or its domain must be verified in SES.'),
    configuration_set: Type.Optional(
      text(
        'The configuration set to send with, which publishes events.',
        'a name of at most 64 letters, digits, - or _',
        '^[A-Za-z0-9_-]{1,64}$',
      ),
    ),
    topics: Type.Optional(
      Type.Array(
        Type.String({
          must: 'the ARN of an SNS topic',
          pattern: '^arn:aws[a-z-]*:sns:[a-z0-9-]+:\\d{12}:[A-Za-z0-9_-]{1,256}$',
        }),
        {
          description:
            'The ARNs of the SNS topics that send events to our callback URL; events of other topics are refused. Without topics, we receive no delivery reports.',
          must: 'a list of SNS topic ARNs',
          maxItems: 100,
        },
      ),
    ),
    endpoint: baseUrl('the endpoint of the region'),
    max_per_second: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: MAX_RATE,
        description: 'The maximum number of recipients per second (14).',
        must: `a number from 1 to ${MAX_RATE}`,
      }),
    ),
  },
  {
    ...closed,
    dependentRequired: {
      access_key_id: ['secret_access_key'],
      secret_access_key: ['access_key_id'],
      session_token: ['access_key_id', 'secret_access_key'],
    },
    must: 'an object that has both access_key_id and secret_access_key, or neither of them nor session_token',
  },
)
export type Settings = Static<typeof Settings>

export type Credentials = Readonly<{ accessKeyId: string; secretAccessKey: string; sessionToken?: string }>

/** Undefined if the AWS SDK should find credentials itself. */
export function toCredentials(settings: Settings): Credentials | undefined {
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: sessionToken } = settings
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined
  return omitUndefined({ accessKeyId, secretAccessKey, sessionToken })
}
