/**
 * Who may call what, and what they get. Every operation of the OpenAPI document has a row here: the test of the matrix
 * fails on one that has none.
 */
import { includes, type Scope } from '../../domain/access/scope.ts'
import type { Mode } from '../../domain/access/test-mode.ts'
import type { Role } from '../../domain/access/user.ts'

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
  | 'mail'

export type Row = Readonly<{
  /** Any of these suffices; `public`: no credentials are asked for; `session`: only people who have signed in. */
  needs: readonly Scope[] | 'public' | 'session'
  /** Where test mode needs less. */
  needsInTest?: readonly Scope[]
  /** The status for all who may call, in a tenant that has nothing yet, with `body`. Others get 401 or 403. */
  answers: number
  /** A JSON body in which `{tenant}` stands for the tenant; otherwise it is empty. */
  body?: object
  /** What the path names. For another tenant it does not exist. */
  of?: Kind
  /** A list of what the tenant has; with this query it is searched. */
  lists?: string
  /** Refused to test keys, whatever their scopes. */
  live?: true
}>

/** The scopes of each role. */
export const ROLE_SCOPES: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: ['messages:read'],
  support: ['messages:read', 'messages:write', 'content:read'],
  developer: ['sms:send', 'email:send', 'otp', 'messages:read', 'messages:write'],
  admin: ['admin'],
  operator: ['operator'],
}

/** What a token, a key or a session with these scopes gets. */
export function expectedStatus(row: Row, scopes: readonly Scope[], mode: Mode = 'live'): number {
  if (row.needs === 'public') return row.answers
  if (row.needs === 'session') return 403
  const needs = mode === 'test' ? (row.needsInTest ?? row.needs) : row.needs
  if (mode === 'test' && (row.live === true || needs.includes('operator'))) return 403
  return needs.some((need) => includes(new Set(scopes), need)) ? row.answers : 403
}

const reads = (...needs: readonly Scope[]): Row => ({ needs, answers: 200 })
const lists = (search: string, ...needs: readonly Scope[]): Row => ({ needs, answers: 200, lists: search })
/** The empty body is refused. */
const takes = (...needs: readonly Scope[]): Row => ({ needs, answers: 400 })
/** Nothing has the key of the path. */
const of = (kind: Kind, ...needs: readonly Scope[]): Row => ({ needs, answers: 404, of: kind })
const anybody = (answers: number): Row => ({ needs: 'public', answers })
const live = (row: Row): Row => ({ ...row, live: true })

const MAIL: Row = { ...of('mail', 'content:read'), needsInTest: ['messages:read', 'content:read'] }

export const MATRIX: Readonly<Record<string, Row>> = {
  // send
  sendSms: takes('sms:send'),
  getSms: of('sms', 'messages:read'),
  sendEmail: takes('email:send'),
  getEmail: of('email', 'messages:read'),
  sendBatch: takes('sms:send', 'email:send'),
  generateOtp: takes('otp'),
  validateOtp: takes('otp'),
  getOtpChallenge: { needs: ['otp'], answers: 404 },
  resendOtp: { needs: ['otp'], answers: 404 },
  cancelOtpChallenge: { needs: ['otp'], answers: 404 },
  configureUser: takes('admin'),
  sendToUser: takes('sms:send'),
  preflight: reads('sms:send', 'email:send', 'otp'),

  // messages
  listEmailLogs: lists('to=ana@{tenant}.example', 'messages:read'),
  listEmailEvents: of('email', 'messages:read'),
  listMessages: lists('tag={tenant}', 'messages:read'),
  getMessage: of('sms', 'messages:read'),
  explainMessage: of('sms', 'messages:read'),
  eraseMessage: of('sms', 'messages:write'),
  resendMessage: of('sms', 'messages:write'),
  replayDeadLetter: of('sms', 'messages:write'),
  resolveMessage: { ...of('sms', 'messages:write'), body: { as: 'sent' } },
  exportMessages: takes('messages:read'),
  getMessageContent: of('sms', 'content:read'),
  listDeadLetters: lists('tag={tenant}', 'messages:read'),
  replayDeadLetters: { needs: ['messages:write'], answers: 202 },
  streamEvents: takes('messages:read'),
  createErasure: takes('messages:write'),
  listErasures: lists('', 'messages:read'),
  getErasurePublicKey: reads('messages:read'),
  verifyErasureReceipt: takes('messages:read'),
  getErasure: of('erasure', 'messages:read'),

  // webhooks
  listEndpoints: lists('', 'messages:read'),
  addEndpoint: takes('admin'),
  getEndpoint: of('endpoint', 'messages:read'),
  changeEndpoint: { ...of('endpoint', 'admin'), body: { description: 'Orders' } },
  removeEndpoint: of('endpoint', 'admin'),
  getEndpointSecret: of('endpoint', 'admin'),
  rotateEndpointSecret: of('endpoint', 'admin'),
  listWebhookDeliveries: of('endpoint', 'messages:read'),
  listMessageWebhookDeliveries: of('sms', 'messages:read'),
  listWebhookAttempts: of('endpoint', 'messages:read'),
  getWebhookAttempt: { needs: ['messages:read'], answers: 404 },
  testEndpoint: of('endpoint', 'admin'),
  replayWebhookDeliveries: { ...of('endpoint', 'admin'), body: { since: '2030-01-31T12:00:00Z' } },

  // routing and providers
  listRoutes: lists('', 'messages:read'),
  addRoute: takes('admin'),
  getRoute: of('route', 'messages:read'),
  changeRoute: { ...of('route', 'admin'), body: { prefix: '+55' } },
  removeRoute: of('route', 'admin'),
  resolveRoute: takes('messages:read'),
  listLimits: lists('scope=account', 'messages:read'),
  getLimit: of('limit', 'messages:read'),
  setLimit: takes('admin'),
  removeLimit: of('limit', 'admin'),
  listProviders: reads('messages:read'),
  setProviderBreaker: takes('operator'),

  // directory
  listRecipients: lists('q={tenant}', 'messages:read'),
  addRecipient: { needs: ['messages:write'], answers: 201 },
  getRecipient: of('recipient', 'messages:read'),
  changeRecipient: { ...of('recipient', 'messages:write'), body: { name: 'Ana' } },
  removeRecipient: of('recipient', 'messages:write'),
  listSuppressions: lists('q={tenant}', 'messages:read'),
  importSuppressions: takes('messages:write'),
  getSuppression: of('suppression', 'messages:read'),
  putSuppression: takes('messages:write'),
  removeSuppression: of('suppression', 'messages:write'),
  listTemplates: lists('', 'messages:read'),
  addTemplate: takes('messages:write'),
  getTemplate: of('template', 'messages:read'),
  changeTemplate: of('template', 'messages:write'),
  removeTemplate: of('template', 'messages:write'),
  listTemplateVersions: of('template', 'messages:read'),
  getTemplateVersion: of('template', 'messages:read'),
  previewTemplate: takes('messages:read'),

  // the simulator, of which the fixture opens the inbox
  listSimulatorInbox: {
    ...lists('to=%2B5511987654321', 'content:read'),
    needsInTest: ['messages:read', 'content:read'],
  },
  getSimulatorMail: MAIL,
  getSimulatorMailPage: MAIL,
  getSimulatorMailSource: MAIL,
  getSimulatorMailAttachment: MAIL,

  // operations
  getQueue: reads('messages:read'),
  getQuotas: reads('messages:read'),
  getUsage: reads('messages:read'),
  getStats: reads('messages:read'),
  getErrorStats: reads('messages:read'),
  getLiveness: anybody(200),
  getReadiness: anybody(200),
  getMetrics: anybody(200),

  // access
  listDomains: lists('', 'admin'),
  addDomain: { needs: ['admin'], answers: 201, live: true, body: { domain: 'more.{tenant}.example' } },
  getDomain: of('domain', 'admin'),
  removeDomain: live(of('domain', 'admin')),
  verifyDomain: live(of('domain', 'admin')),
  listTenants: reads('operator'),
  addTenant: takes('operator'),
  getTenant: { needs: ['operator'], answers: 404 },
  changeTenant: takes('operator'),
  getTenantUsage: reads('operator'),
  listApiKeys: lists('', 'admin'),
  createApiKey: takes('admin'),
  getApiKey: of('apiKey', 'admin'),
  revokeApiKey: of('apiKey', 'admin'),
  rotateApiKey: of('apiKey', 'admin'),
  listAuditEntries: lists('target={tenant}-route', 'admin'),
  exportAuditLog: lists('target={tenant}-route', 'admin'),
  listUsers: live(lists('', 'admin')),
  createUser: { needs: ['admin'], answers: 201, live: true, body: { email: 'dee@{tenant}.example', role: 'viewer' } },
  getUser: live(of('user', 'admin')),
  changeUser: { ...live(of('user', 'admin')), body: { name: 'Dee' } },
  removeUser: live(of('user', 'admin')),
  inviteUser: live(of('user', 'admin')),
  getSession: anybody(200),
  signIn: anybody(400),
  signOut: anybody(204),
  changePassword: { needs: 'session', answers: 400, body: { current_password: 'x', new_password: 'y'.repeat(12) } },
  getInvitation: anybody(400),
  acceptInvitation: anybody(400),
  startOidcSignIn: anybody(404),
  finishOidcSignIn: anybody(404),

  // what providers call, with signatures of their own
  receiveProviderCallback: anybody(404),
  receiveProviderCallbackByGet: anybody(404),
  receiveSmsCallback: anybody(401),
}
