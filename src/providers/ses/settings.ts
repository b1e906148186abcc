/** What is to be known to send by Amazon SES. The rate is that of each process that sends. */
import { type Static, Type } from 'typebox'
import { baseUrl, closed, secret, text } from '../kind.ts'
import { sender } from '../sender.ts'

const FASTEST = 100_000

export const Settings = Type.Object(
  {
    region: text('The region of the account, such as `eu-west-1`.', 'the name of a region', '^[a-z0-9-]{3,40}$'),
    access_key_id: Type.Optional(
      secret('The access key. Without it credentials are found as Amazon has it: variables, files, the role.'),
    ),
    secret_access_key: Type.Optional(secret('The secret of the access key.')),
    session_token: Type.Optional(
      Type.String({
        description: 'What comes with a key that is only lent.',
        must: 'a secret without spaces, best given by a variable',
        pattern: '^[^\\s]+$',
        maxLength: 8_000,
      }),
    ),
    from: sender('The sender of mail that names none. SES must have verified it, or its domain.'),
    configuration_set: Type.Optional(
      text(
        'The configuration set that mail goes by, which publishes what becomes of it.',
        'a name of at most 64 letters, digits, - or _',
        '^[A-Za-z0-9_-]{1,64}$',
      ),
    ),
    topics: Type.Optional(
      Type.Array(
        Type.String({
          must: 'the ARN of a topic of SNS',
          pattern: '^arn:aws[a-z-]*:sns:[a-z0-9-]+:\\d{12}:[A-Za-z0-9_-]{1,256}$',
        }),
        {
          description:
            'The ARNs of the topics of SNS that tell our webhook what becomes of mail; reports of others are refused. Without any, nothing is heard of mail that SES has taken.',
          must: 'a list of ARNs of topics',
          maxItems: 100,
        },
      ),
    ),
    endpoint: baseUrl('that of the region'),
    max_per_second: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: FASTEST,
        description: 'How many recipients the account may send to in a second (14).',
        must: `a number from 1 to ${FASTEST}`,
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

/** Undefined where Amazon's own way to find some is to be gone; there is no half of them. */
export function toCredentials(settings: Settings): Credentials | undefined {
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: sessionToken } = settings
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) }
}
