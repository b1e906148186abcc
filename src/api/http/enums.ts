/** The enumerations that several resources share, by their names in the OpenAPI document. */
import { type TEnum, type TSchemaOptions, Type } from 'typebox'
import { SCOPES } from '../../domain/access/scope.ts'
import { MODES } from '../../domain/access/test-mode.ts'
import { ROLES } from '../../domain/access/user.ts'
import { EMAIL_STATES } from '../../domain/email/pipeline.ts'
import { SUPPRESSION_REASONS } from '../../domain/email/suppression.ts'
import { ALGORITHMS, LIMIT_OWNERS, LIMIT_SCOPES } from '../../domain/limits/limits.ts'
import { CHANNELS, KINDS, LANES } from '../../domain/message/message.ts'
import { HANDOFF_STATES, PROVIDER_STATES, STATUSES } from '../../domain/message/states.ts'

type Values = Readonly<Record<string, readonly string[]>>
type Makers<Named extends Values> = {
  readonly [Name in keyof Named]: (options?: TSchemaOptions) => TEnum<[...Named[Name]]>
}

const enumsOf = <const Named extends Values>(named: Named) =>
  Object.fromEntries(
    Object.entries(named).map(([title, values]) => [
      title,
      (options: TSchemaOptions = {}) => Type.Enum(values, { title, ...options }),
    ]),
  ) as unknown as Makers<Named>

export const Enums = enumsOf({
  Channel: CHANNELS,
  EmailState: EMAIL_STATES,
  Encoding: ['gsm7', 'ucs2', 'mime'],
  HandoffState: HANDOFF_STATES,
  Lane: LANES,
  LimitAlgorithm: ALGORITHMS,
  LimitOwner: LIMIT_OWNERS,
  LimitScope: LIMIT_SCOPES,
  MessageStatus: STATUSES,
  MessageType: KINDS,
  Mode: MODES,
  ProviderState: PROVIDER_STATES,
  Role: ROLES,
  Scope: SCOPES,
  SignInMethod: ['password', 'oidc'],
  SmsEncoding: ['gsm7', 'ucs2'],
  SmsType: ['sms', 'flash_sms'],
  SuppressionReason: SUPPRESSION_REASONS,
})
