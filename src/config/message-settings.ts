/** Settings of messages: how long they are kept, their texts and locales, and one-time codes. */
import { Type } from 'typebox'
import { parseLocale } from '../domain/directory/locale.ts'
import { MAX_RETENTION_DAYS, MIN_RETENTION_DAYS } from '../domain/message/retention.ts'
import { checked, flag, whole } from './setting.ts'

export const MESSAGE_SETTINGS = {
  retentionDays: whole(0, MAX_RETENTION_DAYS, {
    env: 'POMBO_RETENTION_DAYS',
    default: 0,
    description: `How many days after they were created messages are deleted, once they have ended; 0 keeps them forever. Idempotency keys expire with their messages, so the minimum is ${MIN_RETENTION_DAYS}. \`retention\` in the configuration file has exceptions for tenants and channels.`,
  }),
  indexBodies: flag({
    env: 'POMBO_INDEX_BODIES',
    default: false,
    must: 'true or false',
    description: 'Whether message texts can be searched. They are then stored unencrypted in the index.',
  }),
  maxParts: whole(1, 255, {
    env: 'POMBO_MAX_PARTS',
    default: 24,
    description: 'The maximum number of parts of an SMS; longer messages are rejected.',
  }),
  defaultLocale: checked(
    {
      env: 'POMBO_DEFAULT_LOCALE',
      default: 'en',
      must: 'a BCP 47 language tag in canonical form, such as en or pt-BR',
      description: 'The locale of templates without one, and of messages to recipients without one.',
    },
    (value) => parseLocale(value) === value,
  ),
  otpCost: whole(4, 15, {
    env: 'POMBO_OTP_COST',
    default: 10,
    description: 'The bcrypt cost of one-time codes; each step doubles the time.',
  }),
  otpLimit: whole(1, 1_000_000, {
    env: 'POMBO_OTP_LIMIT',
    default: 5,
    description: 'How many one-time codes a recipient may get within POMBO_OTP_WINDOW_SECONDS.',
  }),
  otpWindowSeconds: whole(1, 31_536_000, {
    env: 'POMBO_OTP_WINDOW_SECONDS',
    default: 600,
    description: 'The window of POMBO_OTP_LIMIT.',
  }),
  otpWrongLimit: whole(1, 1_000_000, {
    env: 'POMBO_OTP_WRONG_LIMIT',
    default: 10,
    description:
      'How many wrong one-time codes may be tried for a recipient within POMBO_OTP_WRONG_WINDOW_SECONDS, over all its challenges. Then it gets no codes, and none can be checked, until the window ends.',
  }),
  otpWrongWindowSeconds: whole(1, 31_536_000, {
    env: 'POMBO_OTP_WRONG_WINDOW_SECONDS',
    default: 3600,
    description: 'The window of POMBO_OTP_WRONG_LIMIT. It begins with the first wrong code.',
  }),
  otpDomain: Type.Optional(
    checked(
      {
        env: 'POMBO_OTP_DOMAIN',
        must: 'a domain name, such as example.com',
        description:
          'The domain of the site that asks for one-time codes. It is appended to each code, so that browsers and phones autofill the code on that site only.',
      },
      (value) => /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/i.test(value),
    ),
  ),
}
