/** The settings of an SMSC. Rates, windows and binds apply to each process that sends. */
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

const flag = (description: string) => Type.Optional(Type.Boolean({ description, must: 'true or false' }))

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
        'Overrides for the meaning of statuses: reject the message (message), try the next provider (provider), or retry later (later).',
    }),
    isStatuses,
  ),
)

/** With numeric keys. */
export const toOverrides = (statuses: Static<typeof Statuses> = {}): StatusOverrides =>
  Object.fromEntries(Object.entries(statuses).map(([status, meaning]) => [Number(status), meaning]))

const PEM = '^\\s*-----BEGIN CERTIFICATE-----[\\s\\S]+-----END CERTIFICATE-----\\s*$'

export const Settings = Type.Object(
  {
    host: text('The host name of the SMSC.', 'a host name or an IP address'),
    port: whole(1, 65_535, 'The port of the SMSC.'),
    tls: flag('Whether to connect over TLS (false).'),
    ca: Type.Optional(
      Type.String({
        pattern: PEM,
        must: 'one or more certificates in PEM, best given by a variable',
        description: "The certificate authorities that sign the server's certificate, if they are not public.",
      }),
    ),
    system_id: text('The system id, which is the account name.', 'a name without spaces'),
    password: secret('The password.'),
    system_type: Type.Optional(text('The system type, if the SMSC requires one.', 'a word without spaces')),
    binds: Type.Optional(whole(1, 16, 'The number of sessions of each process that sends (1).')),
    window: Type.Optional(whole(1, 1000, 'The maximum number of unanswered parts per session (10).')),
    parts_per_second: Type.Optional(
      Type.Number({
        minimum: 0.1,
        maximum: 100_000,
        must: 'a number from 0.1 to 100000',
        description:
          'The maximum number of parts per second of each process that sends, over all its sessions. Unlimited by default.',
      }),
    ),
    enquire_seconds: Type.Optional(whole(1, 3600, 'The silence after which we send enquire_link, in seconds (30).')),
    response_seconds: Type.Optional(whole(1, 600, 'The timeout for an answer of the SMSC, in seconds (10).')),
    long_messages: choice(
      LONG_MESSAGES,
      'How long messages are sent: in parts with a user data header (udh), in parts with `sar_*` fields (sar), or whole in `message_payload` for the SMSC to split (payload). The default is udh. `segments` counts 153 septets or 67 UCS-2 units per part; with payload the SMSC decides.',
    ),
    alphabet: choice(
      ['gsm7', 'latin1'],
      "The SMSC's default alphabet (gsm7). With latin1, a message with characters that are not in Latin-1, such as €, is sent in UCS-2 if that needs no more parts than `segments`; otherwise the next provider of the route is tried.",
    ),
    message_ids: choice(
      ID_RULES,
      'Whether answers and receipts contain the same message ids, or the same number in different bases (same).',
    ),
    sender: Type.Optional(
      text('The sender of messages that name none.', 'a sender id of 1 to 20 ASCII characters', '^[!-~][ -~]{0,19}$'),
    ),
    source_ton: octet('The type of number (TON) of every sender, instead of the detected one.'),
    source_npi: octet('The numbering plan (NPI) of every sender.'),
    dest_ton: octet('The type of number (TON) of recipients (1, international).'),
    dest_npi: octet('The numbering plan (NPI) of recipients (1, E.164).'),
    service_type: Type.Optional(
      text('The service type, if the SMSC has several.', 'a word of 1 to 5 characters', '^\\S{1,5}$'),
    ),
    statuses: Type.Optional(Statuses),
  },
  closed,
)
export type Settings = Static<typeof Settings>
