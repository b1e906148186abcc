/** Every page of the navigation, in its groups. The code of a page is loaded when it is first opened. */
import {
  Activity,
  Ban,
  BookUser,
  Building2,
  ChartColumn,
  FileSpreadsheet,
  FileText,
  Gauge,
  Inbox,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  MailWarning,
  ScrollText,
  Send,
  Smartphone,
  Split,
  Users,
  Webhook,
} from 'lucide-react'
import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import { maySeeSimulator } from './api/providers.ts'
import { hasScope, type Session } from './api/session.ts'
import { APP_TEXTS } from './texts/app.ts'
import { PAGES_TEXTS } from './texts/pages.ts'
import { PageLoadError } from './ui/page-boundary.tsx'

export type PageEntry = Readonly<{
  path: string
  name: string
  icon: LucideIcon
  Page: LazyExoticComponent<ComponentType>
  /** Without this scope, or one of these, the page has nothing to show. */
  scope?: string | readonly string[]
  /** Only where a simulator is configured, for those who may see what it received. */
  needsSimulator?: true
}>
export type PageGroup = Readonly<{ name: string; pages: readonly PageEntry[] }>

export const page = <Name extends string, Props>(
  name: Name,
  load: () => Promise<Readonly<Record<Name, ComponentType<Props>>>>,
) =>
  lazy(async () => {
    const code = await load().catch((cause) => {
      throw new PageLoadError(APP_TEXTS.notFetched, { cause })
    })
    return { default: code[name] }
  })

const T = PAGES_TEXTS
const { groups } = APP_TEXTS

const MONITOR: readonly PageEntry[] = [
  { path: '/', name: T.overview, icon: LayoutDashboard, Page: page('Overview', () => import('./pages/overview.tsx')) },
  { path: '/messages', name: T.messages, icon: Inbox, Page: page('Messages', () => import('./pages/messages.tsx')) },
  {
    path: '/dead-letters',
    name: T.deadLetters,
    icon: MailWarning,
    Page: page('DeadLetters', () => import('./pages/dead-letters.tsx')),
  },
  {
    path: '/providers',
    name: T.providers,
    icon: Activity,
    Page: page('Providers', () => import('./pages/providers.tsx')),
  },
  {
    path: '/usage',
    name: T.usage,
    icon: ChartColumn,
    scope: 'messages:read',
    Page: page('Usage', () => import('./pages/usage.tsx')),
  },
]

/** Apart from the simulator: what is sent here is real, unless a simulator takes it. */
const SEND: readonly PageEntry[] = [
  {
    path: '/send',
    name: T.send,
    icon: Send,
    scope: ['sms:send', 'email:send', 'otp'],
    Page: page('Send', () => import('./pages/send.tsx')),
  },
  {
    path: '/send/bulk',
    name: T.bulk,
    icon: FileSpreadsheet,
    scope: ['sms:send', 'email:send'],
    Page: page('Bulk', () => import('./pages/bulk.tsx')),
  },
]

const CONFIGURE: readonly PageEntry[] = [
  { path: '/routes', name: T.routes, icon: Split, Page: page('Routes', () => import('./pages/routes.tsx')) },
  {
    path: '/templates',
    name: T.templates,
    icon: FileText,
    Page: page('Templates', () => import('./pages/templates.tsx')),
  },
  {
    path: '/recipients',
    name: T.recipients,
    icon: BookUser,
    Page: page('Recipients', () => import('./pages/recipients.tsx')),
  },
  {
    path: '/suppressions',
    name: T.suppressions,
    icon: Ban,
    Page: page('Suppressions', () => import('./pages/suppressions.tsx')),
  },
  { path: '/limits', name: T.limits, icon: Gauge, Page: page('Limits', () => import('./pages/limits.tsx')) },
  { path: '/webhooks', name: T.webhooks, icon: Webhook, Page: page('Webhooks', () => import('./pages/webhooks.tsx')) },
]

const ACCESS: readonly PageEntry[] = [
  {
    path: '/users',
    name: T.users,
    icon: Users,
    scope: 'admin',
    Page: page('Users', () => import('./pages/users.tsx')),
  },
  {
    path: '/api-keys',
    name: T.apiKeys,
    icon: KeyRound,
    scope: 'admin',
    Page: page('ApiKeys', () => import('./pages/api-keys.tsx')),
  },
  {
    path: '/audit-log',
    name: T.auditLog,
    icon: ScrollText,
    scope: 'admin',
    Page: page('AuditLog', () => import('./pages/audit-log.tsx')),
  },
  {
    path: '/tenants',
    name: T.tenants,
    icon: Building2,
    scope: 'operator',
    Page: page('Tenants', () => import('./pages/tenants.tsx')),
  },
]

const TEST: readonly PageEntry[] = [
  {
    path: '/simulator',
    name: T.simulator,
    icon: Smartphone,
    needsSimulator: true,
    Page: page('Simulator', () => import('./pages/simulator.tsx')),
  },
]

export const PAGE_GROUPS: readonly PageGroup[] = [
  { name: groups.monitor, pages: MONITOR },
  { name: groups.send, pages: SEND },
  { name: groups.configure, pages: CONFIGURE },
  { name: groups.access, pages: ACCESS },
  { name: groups.test, pages: TEST },
]

/** The pages of this session, without empty groups. */
export const pageGroupsOf = (session: Session, hasSimulator: boolean): readonly PageGroup[] =>
  PAGE_GROUPS.map(({ name, pages }) => ({
    name,
    pages: pages.filter(
      ({ scope, needsSimulator }) =>
        (scope === undefined || [scope].flat().some((one) => hasScope(session, one))) &&
        (needsSimulator === undefined || (hasSimulator && maySeeSimulator(session))),
    ),
  })).filter(({ pages }) => pages.length > 0)
