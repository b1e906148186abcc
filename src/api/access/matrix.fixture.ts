/**
 * Who may call what. Every operation of the OpenAPI document has a row here: the test of the matrix fails on one that has
 * none.
 */
import type { Scope } from '../../domain/access/scope.ts'

/** Things of a tenant that a path names. */
export type Kind =
  | 'sms'
  | 'email'
  | 'endpoint'
  | 'route'
  | 'limit'
  | 'recipient'
  | 'suppression'
  | 'template'
  | 'domain'
  | 'apiKey'
  | 'user'
  | 'erasure'

export type Row = Readonly<{
  /** Any of these suffices; `public`: no credentials are asked for; `session`: only people who have signed in. */
  needs: readonly Scope[] | 'public' | 'session'
  /** What the path names. For another tenant it does not exist. */
  of?: Kind
  /** Refused to test keys, whatever their scopes. */
  live?: true
  /** A valid body, where only the handler refuses. */
  body?: object
}>

const row = (...needs: readonly Scope[]): Row => ({ needs })
const of = (kind: Kind, ...needs: readonly Scope[]): Row => ({ needs, of: kind })
const live = (one: Row): Row => ({ ...one, live: true })
const PUBLIC: Row = { needs: 'public' }

export const MATRIX: Readonly<Record<string, Row>> = {
  // send
  sendSms: row('sms:send'),
  getSms: of('sms', 'messages:read'),
  sendEmail: row('email:send'),
  getEmail: of('email', 'messages:read'),
  sendBatch: row('sms:send', 'email:send'),
  generateOtp: row('otp'),
  validateOtp: row('otp'),
  configureUser: row('admin'),
  sendToUser: row('sms:send'),

  // messages
  listEmailLogs: row('messages:read'),
  listEmailEvents: of('email', 'messages:read'),
  listMessages: row('messages:read'),
  getMessage: of('sms', 'messages:read'),
  eraseMessage: of('sms', 'messages:write'),
  resendMessage: of('sms', 'messages:write'),
  replayDeadLetter: of('sms', 'messages:write'),
  resolveMessage: of('sms', 'messages:write'),
  getMessageContent: of('sms', 'content:read'),
  listDeadLetters: row('messages:read'),
  replayDeadLetters: row('messages:write'),
  streamEvents: row('messages:read'),
  createErasure: row('messages:write'),
  listErasures: row('messages:read'),
  getErasurePublicKey: row('messages:read'),
  verifyErasureReceipt: row('messages:read'),
  getErasure: of('erasure', 'messages:read'),

  // webhooks
  listEndpoints: row('messages:read'),
  addEndpoint: row('admin'),
  getEndpoint: of('endpoint', 'messages:read'),
  changeEndpoint: of('endpoint', 'admin'),
  removeEndpoint: of('endpoint', 'admin'),
  getEndpointSecret: of('endpoint', 'admin'),
  rotateEndpointSecret: of('endpoint', 'admin'),
  listWebhookDeliveries: of('endpoint', 'messages:read'),
  listMessageWebhookDeliveries: of('sms', 'messages:read'),
  replayWebhookDeliveries: of('endpoint', 'admin'),

  // routing and providers
  listRoutes: row('messages:read'),
  addRoute: row('admin'),
  getRoute: of('route', 'messages:read'),
  changeRoute: of('route', 'admin'),
  removeRoute: of('route', 'admin'),
  resolveRoute: row('messages:read'),
  listLimits: row('messages:read'),
  getLimit: of('limit', 'messages:read'),
  setLimit: row('admin'),
  removeLimit: of('limit', 'admin'),
  listProviders: row('messages:read'),
  setProviderBreaker: row('operator'),

  // directory
  listRecipients: row('messages:read'),
  addRecipient: row('messages:write'),
  getRecipient: of('recipient', 'messages:read'),
  changeRecipient: of('recipient', 'messages:write'),
  removeRecipient: of('recipient', 'messages:write'),
  listSuppressions: row('messages:read'),
  importSuppressions: row('messages:write'),
  getSuppression: of('suppression', 'messages:read'),
  putSuppression: row('messages:write'),
  removeSuppression: of('suppression', 'messages:write'),
  listTemplates: row('messages:read'),
  addTemplate: row('messages:write'),
  getTemplate: of('template', 'messages:read'),
  changeTemplate: of('template', 'messages:write'),
  removeTemplate: of('template', 'messages:write'),
  listTemplateVersions: of('template', 'messages:read'),
  getTemplateVersion: of('template', 'messages:read'),
  previewTemplate: row('messages:read'),

  // operations
  getQueue: row('messages:read'),
  getQuotas: row('messages:read'),
  getStats: row('messages:read'),
  getErrorStats: row('messages:read'),
  getLiveness: PUBLIC,
  getReadiness: PUBLIC,
  getMetrics: PUBLIC,

  // access
  listDomains: row('admin'),
  addDomain: { ...live(row('admin')), body: { domain: 'acme.example' } },
  getDomain: of('domain', 'admin'),
  removeDomain: live(of('domain', 'admin')),
  verifyDomain: live(of('domain', 'admin')),
  listTenants: row('operator'),
  addTenant: row('operator'),
  getTenant: row('operator'),
  changeTenant: row('operator'),
  getTenantUsage: row('operator'),
  listApiKeys: row('admin'),
  createApiKey: row('admin'),
  getApiKey: of('apiKey', 'admin'),
  revokeApiKey: of('apiKey', 'admin'),
  rotateApiKey: of('apiKey', 'admin'),
  listAuditEntries: row('admin'),
  exportAuditLog: row('admin'),
  listUsers: live(row('admin')),
  createUser: { ...live(row('admin')), body: { email: 'dee@example.com', role: 'viewer' } },
  getUser: live(of('user', 'admin')),
  changeUser: { ...live(of('user', 'admin')), body: { name: 'Dee' } },
  removeUser: live(of('user', 'admin')),
  inviteUser: live(of('user', 'admin')),
  getSession: PUBLIC,
  signIn: PUBLIC,
  signOut: PUBLIC,
  changePassword: { needs: 'session', body: { current_password: 'x', new_password: 'y'.repeat(12) } },
  getInvitation: PUBLIC,
  acceptInvitation: PUBLIC,
  startOidcSignIn: PUBLIC,
  finishOidcSignIn: PUBLIC,

  // what providers call, with signatures of their own
  receiveProviderCallback: PUBLIC,
  receiveProviderCallbackByGet: PUBLIC,
  receiveSmsCallback: PUBLIC,
}
