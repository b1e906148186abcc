/**
 * What is pictured: every page of the console, most of them also in the dark or on a phone, and what opens above a page.
 */
import type { Page } from 'playwright-core'
import { TEXTS } from '../texts.ts'
import type { StillGateway } from './still-gateway.ts'

export type Variant = 'light' | 'dark' | 'phone'

export type Picture = Readonly<{
  name: string
  /** Below /console; some contain ids. */
  path: string | ((gateway: StillGateway) => string)
  variants: readonly Variant[]
  /** What is opened before the picture is taken. */
  open?: (page: Page) => Promise<void>
  /** Nobody is signed in. */
  isPublic?: true
}>

const LIGHT = ['light'] as const
const ALL = ['light', 'dark', 'phone'] as const
const [WITH_DARK, WITH_PHONE] = [['light', 'dark'] as const, ['light', 'phone'] as const]

/** Clicks the first button of this name. */
const opens =
  (name: string) =>
  (page: Page): Promise<void> =>
    page.getByRole('button', { name, exact: true }).first().click()

export const PICTURES: readonly Picture[] = [
  { name: 'overview', path: '/', variants: ALL },
  { name: 'messages', path: '/messages', variants: ALL },
  { name: 'messages-none', path: '/messages?status=expired&tag=nobody', variants: LIGHT },
  { name: 'message', path: ({ messages }) => `/messages/${messages.retried}`, variants: ALL },
  { name: 'message-failed', path: ({ messages }) => `/messages/${messages.blocked}`, variants: LIGHT },
  { name: 'message-email', path: ({ messages }) => `/messages/${messages.mail}`, variants: LIGHT },
  { name: 'message-unknown', path: ({ messages }) => `/messages/${messages.unknown}`, variants: ['dark'] },
  { name: 'dead-letters', path: '/dead-letters', variants: ALL },
  { name: 'providers', path: '/providers', variants: ALL },
  { name: 'usage', path: '/usage', variants: WITH_PHONE },
  { name: 'send', path: '/send?to=%2B15005550100&sample=1', variants: ALL },
  { name: 'send-email', path: '/send?kind=email&sample=1', variants: LIGHT },
  { name: 'bulk', path: '/send/bulk', variants: LIGHT },
  { name: 'routes', path: '/routes?to=%2B5511987654321', variants: WITH_PHONE },
  { name: 'limits', path: '/limits', variants: WITH_PHONE },
  { name: 'templates', path: '/templates', variants: LIGHT },
  { name: 'template-sms', path: '/templates?name=shipped', variants: ALL },
  { name: 'template-email', path: '/templates?name=welcome', variants: LIGHT },
  { name: 'recipients', path: '/recipients', variants: WITH_PHONE },
  { name: 'suppressions', path: '/suppressions', variants: LIGHT },
  { name: 'webhooks', path: '/webhooks', variants: WITH_DARK },
  { name: 'endpoint', path: '/webhooks?endpoint=orders', variants: WITH_PHONE },
  { name: 'users', path: '/users', variants: WITH_PHONE },
  { name: 'api-keys', path: '/api-keys', variants: ALL },
  { name: 'audit-log', path: '/audit-log', variants: WITH_PHONE },
  { name: 'tenants', path: '/tenants', variants: LIGHT },
  { name: 'simulator', path: '/simulator', variants: WITH_DARK },
  { name: 'mailbox', path: '/simulator?device=mailbox', variants: WITH_PHONE },
  { name: 'not-found', path: '/nowhere', variants: LIGHT },
  { name: 'palette', path: '/limits', variants: WITH_DARK, open: (page) => page.keyboard.press('Control+k') },
  { name: 'drawer', path: '/limits', variants: ['phone'], open: opens(TEXTS.app.openMenu) },
  { name: 'filters', path: '/messages', variants: LIGHT, open: opens(TEXTS.common.filters.action) },
  { name: 'route-form', path: '/routes', variants: WITH_PHONE, open: opens(TEXTS.routes.add) },
  { name: 'api-key-form', path: '/api-keys', variants: ['dark'], open: opens(TEXTS.apiKeys.create) },
  { name: 'sign-in', path: '/', variants: WITH_DARK, isPublic: true },
  {
    name: 'invitation',
    path: ({ invitation }) => `/accept-invitation#invitation=${invitation}`,
    variants: LIGHT,
    isPublic: true,
  },
]
