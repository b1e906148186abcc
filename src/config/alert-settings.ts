/** The schema of `alerts` in the configuration file. */
import { type Static, Type } from 'typebox'
import { type EmailAddress, parseEmailAddress } from '../domain/email/address.ts'
import { type Mailbox, parseMailbox } from '../domain/email/mailbox.ts'
import { type AccountId, parseAccountId, parseTenantId, type TenantId } from '../domain/ids.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'

const CLOSED = { additionalProperties: false }
const DEFAULT_DEAD_LETTERS = 100
const MOST_DEAD_LETTERS = 1_000_000_000
const MOST_RECIPIENTS = 10

const parsed = <Value>(parse: (text: string) => unknown, must: string, description: string) =>
  Type.Unsafe<Value>(Type.Refine(Type.String({ must, description }), (text) => parse(text) !== undefined))

const NAME = 'a name of at most 64 letters, digits, - or _'

const MailSchema = Type.Object(
  {
    tenant_id: parsed<TenantId>(
      parseTenantId,
      NAME,
      'The tenant that sends the mail: its routes, senders and limits apply, and its users see it.',
    ),
    account_id: Type.Optional(parsed<AccountId>(parseAccountId, NAME, 'Its account (`default`).')),
    to: Type.Array(parsed<EmailAddress>(parseEmailAddress, 'an email address', 'An email address.'), {
      minItems: 1,
      maxItems: MOST_RECIPIENTS,
      uniqueItems: true,
      must: `a list of 1 to ${MOST_RECIPIENTS} email addresses`,
      description: 'Who gets the mail, each on its own.',
    }),
    from: Type.Optional(
      parsed<string>(
        parseMailbox,
        'a mailbox such as Pombo <alerts@acme.example>',
        "The sender; the provider's own without it.",
      ),
    ),
  },
  {
    ...CLOSED,
    must: 'an object',
    description: 'Sends the alerts for operators as mail: of one kind about one subject, once in an hour.',
  },
)

export const AlertSchema = Type.Object(
  {
    dead_letters_per_hour: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MOST_DEAD_LETTERS,
        must: `a whole number from 1 to ${MOST_DEAD_LETTERS}`,
        description: `As many dead letters within an hour raise the alert \`dead_letters.high\` (${DEFAULT_DEAD_LETTERS}).`,
      }),
    ),
    email: Type.Optional(MailSchema),
  },
  { ...CLOSED, must: 'an object' },
)

export type AlertMailConfig = Readonly<{
  tenantId: TenantId
  accountId: AccountId
  to: readonly EmailAddress[]
  from?: Mailbox
}>
export type AlertConfig = Readonly<{ deadLettersPerHour: number; email?: AlertMailConfig }>

export const toAlertConfig = ({
  dead_letters_per_hour: deadLettersPerHour = DEFAULT_DEAD_LETTERS,
  email,
}: Static<typeof AlertSchema> = {}): AlertConfig =>
  omitUndefined({ deadLettersPerHour, email: email && toMailConfig(email) })

const toMailConfig = ({
  tenant_id: tenantId,
  account_id: accountId = 'default' as AccountId,
  to,
  from,
}: Static<typeof MailSchema>): AlertMailConfig =>
  omitUndefined({ tenantId, accountId, to, from: from === undefined ? undefined : parseMailbox(from) })
