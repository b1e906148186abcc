/** What a connector to an SMSC needs to know. Rates, windows and binds are those of each process that sends. */
import { type Static, Type } from 'typebox'
import { closed, secret, text } from '../kind.ts'
import type { StatusMeaning, StatusOverrides } from './errors.ts'
import { ID_RULES } from './message-ids.ts'
import { LONG_MESSAGES } from './submit.ts'

const choice = <Values extends string[]>(values: readonly [...Values], description: string) =>
  Type.Optional(Type.Enum(values, { description, must: values.join(', ').replace(/, (?=[^,]*$)/, ' or ') }))

const whole = (minimum: number, maximum: number, description: string) =>
  Type.Integer({ minimum, maximum, description, must: `a whole number from ${minimum} to ${maximum}` })

const octet = (description: string) => Type.Optional(whole(0, 255, description))

const yesOrNo = (description: string) => Type.Optional(Type.Boolean({ description, must: 'true or false' }))

const MEANINGS: readonly unknown[] = ['message', 'provider', 'later'] satisfies readonly StatusMeaning[]
const STATUS = /^(?:0[xX][\da-fA-F]{1,8}|\d{1,10})$/

const isStatuses = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.entries(value).every(([status, meaning]) => STATUS.test(status) && MEANINGS.includes(meaning))

const Statuses = Type.Unsafe<Readonly<Record<string, StatusMeaning>>>(
  Type.Refine(
    Type.Unknown({
      must: 'an object from statuses such as "0x0400" to "message", "provider" or "later"',
      description:
        'What statuses of this SMSC mean where the usual does not hold: the fault is in the message, or the next provider is tried, or it is tried again later.',
    }),
    isStatuses,
  ),
)

/** By their numbers. */
export const toOverrides = (statuses: Static<typeof Statuses> = {}): StatusOverrides =>
  Object.fromEntries(Object.entries(statuses).map(([status, meaning]) => [Number(status), meaning]))

const PEM = '^\\s*-----BEGIN CERTIFICATE-----[\\s\\S]+-----END CERTIFICATE-----\\s*$'

export const Settings = Type.Object(
  {
    host: text('Where the SMSC is.', 'the name or address of a machine'),
    port: whole(1, 65_535, 'The port it listens on.'),
    tls: yesOrNo('Whether it is called over TLS (false).'),
    ca: Type.Optional(
      Type.String({
        pattern: PEM,
        must: 'one or more certificates in PEM, best given by a variable',
        description: 'Who vouches for it over TLS, where no public authority does.',
      }),
    ),
    system_id: text('The account.', 'a name without spaces'),
    password: secret('Its password.'),
    system_type: Type.Optional(text('The kind of system, where the SMSC asks for it.', 'a word without spaces')),
    binds: Type.Optional(whole(1, 16, 'How many sessions each process that sends keeps open (1).')),
    window: Type.Optional(whole(1, 1000, 'How many parts may be unanswered in each session (10).')),
    parts_per_second: Type.Optional(
      Type.Number({
        minimum: 0.1,
        maximum: 100_000,
        must: 'a number from 0.1 to 100000',
        description:
          'The most that each process that sends may submit, over all its sessions. Left out, it is as fast as the SMSC lets it be.',
      }),
    ),
    enquire_seconds: Type.Optional(whole(1, 3600, 'After how much silence it is asked whether it is there (30).')),
    response_seconds: Type.Optional(whole(1, 600, 'How long it may take to answer (10).')),
    long_messages: choice(
      LONG_MESSAGES,
      'How long messages are sent: in parts with a header each (udh), in parts with `sar_*` fields beside them (sar), or whole in `message_payload` for the SMSC to split (payload). The default is udh. `segments` counts 153 septets or 67 UCS-2 units to a part; with payload it is the SMSC that decides.',
    ),
    alphabet: choice(
      ['gsm7', 'latin1'],
      'What it takes for its default alphabet (gsm7). With latin1, a message with characters that Latin-1 lacks, such as €, is sent in UCS-2 if that takes no more parts than `segments`; otherwise the next provider of the route is tried.',
    ),
    message_ids: choice(
      ID_RULES,
      'How it writes message ids: the same everywhere, or in one base in answers and in another in receipts (same).',
    ),
    sender: Type.Optional(
      text('The sender of messages that name none.', 'a sender id of 1 to 20 ASCII characters', '^[!-~][ -~]{0,19}$'),
    ),
    source_ton: octet('The type of number of every sender, in place of what it looks like.'),
    source_npi: octet('Its numbering plan.'),
    dest_ton: octet('The type of number of recipients (1, international).'),
    dest_npi: octet('Their numbering plan (1, E.164).'),
    service_type: Type.Optional(
      text('The service, where the SMSC knows several.', 'a word of 1 to 5 characters', '^\\S{1,5}$'),
    ),
    statuses: Type.Optional(Statuses),
  },
  closed,
)
export type Settings = Static<typeof Settings>
