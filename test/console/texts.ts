/** Every text of the console: tests look at all its pages. */

import { API_KEYS_TEXTS } from '../../console/src/texts/api-keys.ts'
import { APP_TEXTS } from '../../console/src/texts/app.ts'
import { AUDIT_LOG_TEXTS } from '../../console/src/texts/audit-log.ts'
import { BULK_TEXTS } from '../../console/src/texts/bulk.ts'
import { CHART_TEXTS } from '../../console/src/texts/chart.ts'
import { CHECK_CODE_TEXTS } from '../../console/src/texts/check-code.ts'
import { COMMON_TEXTS } from '../../console/src/texts/common.ts'
import { DEAD_LETTERS_TEXTS } from '../../console/src/texts/dead-letters.ts'
import { INVITATION_TEXTS } from '../../console/src/texts/invitation.ts'
import { LIMITS_TEXTS } from '../../console/src/texts/limits.ts'
import { MAIL_VIEW_TEXTS } from '../../console/src/texts/mail-view.ts'
import { MESSAGE_TEXTS } from '../../console/src/texts/message.ts'
import { MESSAGES_TEXTS } from '../../console/src/texts/messages.ts'
import { OVERVIEW_TEXTS } from '../../console/src/texts/overview.ts'
import { PAGES_TEXTS } from '../../console/src/texts/pages.ts'
import { PALETTE_TEXTS } from '../../console/src/texts/palette.ts'
import { PASSWORD_TEXTS } from '../../console/src/texts/password.ts'
import { PROVIDERS_TEXTS } from '../../console/src/texts/providers.ts'
import { RECIPIENTS_TEXTS } from '../../console/src/texts/recipients.ts'
import { ROUTES_TEXTS } from '../../console/src/texts/routes.ts'
import { SEND_TEXTS } from '../../console/src/texts/send.ts'
import { SIGN_IN_TEXTS } from '../../console/src/texts/sign-in.ts'
import { SIMULATOR_TEXTS } from '../../console/src/texts/simulator.ts'
import { SUPPRESSIONS_TEXTS } from '../../console/src/texts/suppressions.ts'
import { TEMPLATES_TEXTS } from '../../console/src/texts/templates.ts'
import { TENANTS_TEXTS } from '../../console/src/texts/tenants.ts'
import { USAGE_TEXTS } from '../../console/src/texts/usage.ts'
import { USERS_TEXTS } from '../../console/src/texts/users.ts'
import { WEBHOOKS_TEXTS } from '../../console/src/texts/webhooks.ts'
import { WHY_TEXTS } from '../../console/src/texts/why.ts'

export const TEXTS = {
  common: COMMON_TEXTS,
  app: APP_TEXTS,
  palette: PALETTE_TEXTS,
  signIn: SIGN_IN_TEXTS,
  invitation: INVITATION_TEXTS,
  password: PASSWORD_TEXTS,
  users: USERS_TEXTS,
  apiKeys: API_KEYS_TEXTS,
  auditLog: AUDIT_LOG_TEXTS,
  tenants: TENANTS_TEXTS,
  pages: PAGES_TEXTS,
  chart: CHART_TEXTS,
  overview: OVERVIEW_TEXTS,
  messages: MESSAGES_TEXTS,
  mailView: MAIL_VIEW_TEXTS,
  message: MESSAGE_TEXTS,
  why: WHY_TEXTS,
  deadLetters: DEAD_LETTERS_TEXTS,
  providers: PROVIDERS_TEXTS,
  usage: USAGE_TEXTS,
  routes: ROUTES_TEXTS,
  limits: LIMITS_TEXTS,
  templates: TEMPLATES_TEXTS,
  recipients: RECIPIENTS_TEXTS,
  suppressions: SUPPRESSIONS_TEXTS,
  webhooks: WEBHOOKS_TEXTS,
  checkCode: CHECK_CODE_TEXTS,
  send: SEND_TEXTS,
  bulk: BULK_TEXTS,
  simulator: SIMULATOR_TEXTS,
} as const
