/** Settings about what messages say: their texts, their locales, and one-time codes. */
import { Type } from 'typebox'
import { parseLocale } from '../domain/directory/locale.ts'
import { checked, flag, whole } from './setting.ts'

export const MESSAGE_SETTINGS = {
  indexBodies: flag({
    env: 'POMBO_INDEX_BODIES',
    default: false,
    must: 'true or false',
    description: 'Whether the texts of messages can be searched; they then stand in the index unsealed.',
  }),
  maxParts: whole(1, 255, {
    env: 'POMBO_MAX_PARTS',
    default: 24,
    description: 'The most parts an SMS may need; a longer one is refused.',
  }),
  defaultLocale: checked(
    {
      env: 'POMBO_DEFAULT_LOCALE',
      default: 'en',
      must: 'a BCP 47 tag as it is usually written, such as en or pt-BR',
      description: 'The locale of templates that name none, and of texts for recipients whose own is not known.',
    },
    (value) => parseLocale(value) === value,
  ),
  otpCost: whole(4, 15, {
    env: 'POMBO_OTP_COST',
    default: 10,
    description: 'The cost of hashing a one-time code with bcrypt: one more takes twice as long.',
  }),
  otpLimit: whole(1, 1_000_000, {
    env: 'POMBO_OTP_LIMIT',
    default: 5,
    description: 'How many one-time codes a recipient may be sent in the time that POMBO_OTP_WINDOW_SECONDS says.',
  }),
  otpWindowSeconds: whole(1, 31_536_000, {
    env: 'POMBO_OTP_WINDOW_SECONDS',
    default: 600,
    description: 'The time in which a recipient may be sent so many one-time codes as POMBO_OTP_LIMIT says.',
  }),
  otpDomain: Type.Optional(
    checked(
      {
        env: 'POMBO_OTP_DOMAIN',
        must: 'the name of a domain, such as example.com',
        description:
          'The site that one-time codes are for: they then end with a line by which browsers and phones fill them in there, and nowhere else.',
      },
      (value) => /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/i.test(value),
    ),
  ),
}
